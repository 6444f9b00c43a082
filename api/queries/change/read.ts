import type { Static } from "typebox";
import type { ResourceChange } from "../../../shared/contracts/change/contracts.ts";
import { cursorIsOutdated } from "../../../shared/contracts/change/contracts.ts";
import type { CategoryRow } from "../../../shared/db/entities.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import { readChangedThings } from "../../../shared/db/reads/change-places.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { invalid } from "../../../shared/errors.ts";
import { type Condition, daySettingsOf, type QueryContext, type QueryHandler } from "../engine/context.ts";
import { habitRows, presentHabits } from "../habit/read.ts";
import { presentTodos, todoRows } from "../todo/read.ts";

export const readChanges: QueryHandler<"change.list"> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: false });

export const readFinalChanges: QueryHandler<"change.stream"> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: true });

/** A stream whose client does not read holds one page, so that has few things. */
const mostStreamed = 20;

async function readPage(query: QueryContext, options: Parameters<typeof readChangedThings>[1]) {
  const found = await readChangedThings(query.rows, options);
  if (!found) return invalid({ cursor: [cursorIsOutdated] });
  const { things, cursorAt, next_cursor, has_more } = found;
  const shown = options.isFinal ? things.slice(0, mostStreamed) : things;
  const last = shown.length < things.length ? shown.at(-1) : undefined;
  const place = last ? { next_cursor: cursorAt(last.place), has_more: true } : { next_cursor, has_more };
  return { data: await resourcesOf(query, shown), ...place };
}

type Thing = Readonly<{ kind: ResourceKind; id: number }>;

/** Reads the rows after their places were found, so they are at least as new. A row that is gone by then is deleted. */
async function resourcesOf(
  query: QueryContext,
  things: readonly Thing[],
): Promise<Static<typeof ResourceChange>[]> {
  const idsOf = (kind: ResourceKind) => things.flatMap((thing) => (thing.kind === kind ? thing.id : []));
  const [categories, habits, todos] = await Promise.all([
    readKind("category", idsOf("category"), (ids) => readCategoriesOf(query, ids)),
    readKind("habit", idsOf("habit"), (ids) => readHabitsOf(query, ids)),
    readKind("todo", idsOf("todo"), (ids) => readTodosOf(query, ids)),
  ]);
  const changes = new Map(
    [...categories, ...habits, ...todos].map((change) => [`${change.type} ${change.id}`, change]),
  );
  return things.flatMap(({ kind, id }) => changes.get(`${kind} ${id}`) ?? []);
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
