import type { Static } from "typebox";
import type { ResourceChange } from "../../../shared/contracts/change/contracts.ts";
import { cursorIsOutdated } from "../../../shared/contracts/change/contracts.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import { readChangedThings } from "../../../shared/db/reads/change-places.ts";
import { own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { invalid } from "../../../shared/errors.ts";
import { daySettingsOf, type QueryContext, type QueryHandler } from "../engine/context.ts";
import { habitsFound, presentHabits } from "../habit/read.ts";
import { presentTodos, todosById } from "../todo/read.ts";

export const readChanges: QueryHandler<"change.list"> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: false });

export const readFinalChanges: QueryHandler<"change.stream"> = (query, { cursor }) =>
  readPage(query, { cursor, isFinal: true });

async function readPage(query: QueryContext, options: Parameters<typeof readChangedThings>[1]) {
  const found = await readChangedThings(query.rows, options);
  if (!found) return invalid({ cursor: [cursorIsOutdated] });
  const { things, ...place } = found;
  return { data: await resourcesOf(query, things), ...place };
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
  readThem: (ids: string) => Promise<readonly Resource[]>,
) {
  // The list is text, because reads with an array cannot be coalesced.
  const list = `{${ids.join(",")}}`;
  const resources = ids.length > 0 ? await readThem(list) : [];
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return ids.map((id) => ({ type, id, deleted: !byId.has(id), resource: byId.get(id) ?? null }));
}

const categoriesById = statement({ ids: "bigint[]" }, (value) =>
  selectFrom(own("categories").as("c"))
    .selectAll("c")
    .where((eb) => eb("c.id", "=", eb.fn.any(value("ids")))),
);

async function readCategoriesOf({ rows }: QueryContext, ids: string) {
  return (await rows(categoriesById({ ids }))).map(presentCategory);
}

async function readHabitsOf(query: QueryContext, ids: string) {
  const found = await query.rows(habitsFound(["listed"], { ids }));
  return presentHabits(found, daySettingsOf(found, query).today);
}

async function readTodosOf(query: QueryContext, ids: string) {
  const found = await query.rows(todosById("listed", { ids }));
  return presentTodos(found, daySettingsOf(found, query).today);
}
