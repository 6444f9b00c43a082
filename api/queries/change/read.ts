import type { Static } from "typebox";
import { changesLimit, type ResourceChange } from "../../../shared/contracts/change/contracts.ts";
import {
  type ChangeCursor,
  type ChangePlace,
  changeCursor,
  cursorIsOutdated,
  parseChangeCursor,
} from "../../../shared/contracts/change/cursor.ts";
import type { CategoryRow } from "../../../shared/db/entities.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { invalid } from "../../../shared/errors.ts";
import { type Condition, daySettingsOf, type QueryContext, type QueryHandler } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";
import { habitRows, presentHabits } from "../habit/read.ts";
import { presentTodos, todoRows } from "../todo/read.ts";
import { changesAfter, kindOf } from "./sources.ts";

/** The numbers of transactions when the statement ran; see the function change_marks in the migrations. */
type Marks = { generation: string; settled_xid: string; next_xid: string; pruned_xid: string };
type ChangeRow = Marks & { xid: string | null; source: number; group_id: number; id: number };

const beginning: ChangePlace = { xid: 0n, source: 0, group: 0, id: 0 };
const never = 2n ** 64n - 1n;

/**
 * Everything below `settled_xid` is committed or rolled back, so a place there is final. Newer rows are shown as
 * well, so that callers read their own writes, but the next page begins at `settled_xid` again.
 */
export const readChanges: QueryHandler<"change.list"> = (query, input) => readPage(query, input, false);

/** Shows final places alone, so no change comes twice to a reader who goes on. */
export const readFinalChanges: QueryHandler<"change.stream"> = (query, input) => readPage(query, input, true);

async function readPage(query: QueryContext, input: Readonly<{ cursor?: string }>, isFinal: boolean) {
  const cursor = input.cursor === undefined ? undefined : parseChangeCursor(input.cursor);
  const { place, since } = cursor ?? { place: beginning, since: never };
  const rows = await query.rows(sql<ChangeRow>`
    select m.*, f.* from change_marks() m
    left join lateral (${changesAfter(query, place, since)}) f on true order by f.xid, f.source, f.group_id, f.id`);
  const [marks] = rows;
  if (!marks) throw new Error("The statement of changes gave no row.");
  if (cursor && isOutdated(cursor, marks)) return invalid({ cursor: [cursorIsOutdated] });
  const found = rows.flatMap(({ xid, source, group_id: group, id }) =>
    xid === null ? [] : [{ xid: BigInt(xid), source, group, id }],
  );
  const settled = BigInt(marks.settled_xid);
  const page = found.filter(({ xid }) => !isFinal || xid < settled).slice(0, changesLimit);
  const isMore = found.length > page.length;
  const last = page.at(-1);
  const next = isMore && last && last.xid < settled ? last : undefined;
  return {
    data: await resourcesAt(query, page),
    next_cursor: changeCursor({
      generation: marks.generation,
      since: cursor?.since ?? settled,
      place: next ?? { ...beginning, xid: settled },
    }),
    // A page full of unsettled changes comes again, so the client should not ask at once.
    has_more: isFinal ? isMore : next !== undefined || (isMore && settled > place.xid),
  };
}

/** The numbering has changed, the number was never given out, or later deletions are forgotten. */
function isOutdated({ generation, since, place }: ChangeCursor, marks: Marks): boolean {
  // A new copy is still reading old rows, but needs no deletion from before its beginning.
  const knows = place.xid > since ? place.xid : since;
  return (
    generation !== marks.generation || knows > BigInt(marks.next_xid) || knows <= BigInt(marks.pruned_xid)
  );
}

type Place = Pick<ChangePlace, "source" | "group" | "id">;

/** Reads the rows after their places were found, so they are at least as new. A row that is gone by then is deleted. */
async function resourcesAt(
  query: QueryContext,
  places: readonly Place[],
): Promise<Static<typeof ResourceChange>[]> {
  const idsOf = (kind: ResourceKind) => [
    ...new Set(places.flatMap((place) => (kindOf(place) === kind ? [place.id] : []))),
  ];
  const [categories, habits, todos] = await Promise.all([
    readKind("category", idsOf("category"), (ids) => readCategoriesOf(query, ids)),
    readKind("habit", idsOf("habit"), (ids) => readHabitsOf(query, ids)),
    readKind("todo", idsOf("todo"), (ids) => readTodosOf(query, ids)),
  ]);
  const nameOf = (type: string | undefined, id: number) => `${type} ${id}`;
  const changes = new Map(
    [...categories, ...habits, ...todos].map((change) => [nameOf(change.type, change.id), change]),
  );
  // Each row comes once, at its first place.
  const names = new Set(places.map((place) => nameOf(kindOf(place), place.id)));
  return [...names].flatMap((name) => changes.get(name) ?? []);
}

async function readKind<Kind extends ResourceKind, Resource extends { id: number }>(
  type: Kind,
  ids: readonly number[],
  readThem: (ids: Condition) => Promise<readonly Resource[]>,
) {
  // The list is text, because reads with an array cannot be coalesced.
  const list = `{${ids.join(",")}}`;
  const resources = ids.length > 0 ? await readThem(sql`any(${list}::bigint[])`) : [];
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return ids.map((id) => ({ type, id, deleted: !byId.has(id), resource: byId.get(id) ?? null }));
}

async function readCategoriesOf({ own, rows }: QueryContext, ids: Condition) {
  const found = await rows(sql<CategoryRow>`select c.* from ${own("categories")} c where c.id = ${ids}`);
  return found.map(presentCategory);
}

async function readHabitsOf(query: QueryContext, ids: Condition) {
  const found = await query.rows(habitRows(query, sql`h.id = ${ids}`));
  return presentHabits(found, daySettingsOf(found, query).today);
}

async function readTodosOf(query: QueryContext, ids: Condition) {
  const todos = sql`(select * from ${query.own("todos")} t where t.id = ${ids})`;
  const found = await query.rows(todoRows({ todos, total: sql`0` }));
  return presentTodos(found, daySettingsOf(found, query).today);
}
