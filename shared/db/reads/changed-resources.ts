import { expressionBuilder, sql } from "kysely";
import type { Static } from "typebox";
import type { ResourceChange } from "../../contracts/change/contracts.ts";
import type { Author } from "../../domain/author.ts";
import { viewerAt } from "../../domain/reach.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import {
  type CategoryRefRow,
  presentCategory,
  presentHabit,
  presentTodo,
  shownOfHabit,
  shownOfTodo,
} from "../present.ts";
import { type Found, own, type RowOf, type RunStatement, selectFrom, statement } from "./statement.ts";

/** The moment at which things are shown (epoch ms), the service's settings, and to whom. */
type View = Readonly<{ now: number; defaultTimeZone: string; baseUrl: string; reader: Author }>;

/**
 * Reads things as GET /changes and webhooks show them, in the order of their places. The rows are at least as new as
 * these. A row that is gone by then is deleted.
 */
export async function readChangedResources(
  rows: RunStatement,
  things: readonly Readonly<{ kind: ResourceKind; id: number }>[],
  view: View,
): Promise<Static<typeof ResourceChange>[]> {
  const viewer = async () => {
    const [user] = await rows(settings({}));
    return viewerAt(view.now, user ?? {}, view, view.reader);
  };
  const idsOf = (kind: ResourceKind) => things.flatMap((thing) => (thing.kind === kind ? thing.id : []));
  const [categories, habits, todos] = await Promise.all([
    readKind("category", idsOf("category"), async (ids) =>
      (await rows(categoriesById({ ids }))).map(presentCategory),
    ),
    readKind("habit", idsOf("habit"), async (ids) => {
      const [found, today] = await Promise.all([rows(habitsById({ ids })), viewer()]);
      return found.map((row) => presentHabit(row, row.category ?? undefined, today));
    }),
    readKind("todo", idsOf("todo"), async (ids) => {
      const [found, today] = await Promise.all([rows(todosById({ ids })), viewer()]);
      return found.map((row) => presentTodo(row, row.category ?? undefined, reminderOf(row), today));
    }),
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

const settings = statement({}, () =>
  selectFrom(own("users").as("u")).select([
    "u.time_zone",
    "u.day_start_hour",
    "u.reminder_channel",
    "u.webhook_disabled_at",
  ]),
);

type Categorised = RowOf<"habits"> | RowOf<"todos">;
const category = selectFrom(own("categories").as("c"))
  .select(({ ref }) =>
    sql<CategoryRefRow>`jsonb_build_object('id', ${ref("c.id")}, 'name', ${ref("c.name")}, 'color', ${ref("c.color")})`.as(
      "ref",
    ),
  )
  .where("c.id", "=", expressionBuilder<{ x: Categorised }, "x">().ref("x.category_id"))
  .as("category");

const byIds = { ids: "bigint[]" } as const;

const categoriesById = statement(byIds, (value) =>
  selectFrom(own("categories").as("x"))
    .selectAll("x")
    .where(({ eb, fn }) => eb("x.id", "=", fn.any(value("ids")))),
);

const habitsById = statement(byIds, (value) =>
  selectFrom(own("habits").as("x"))
    .select(shownOfHabit.map((column) => `x.${column}` as const))
    .select(category)
    .where(({ eb, fn }) => eb("x.id", "=", fn.any(value("ids")))),
);

/** Reminders are looked up one by one, as in lists of todos. */
const todosById = statement(byIds, (value) =>
  selectFrom(own("todos").as("x"))
    .leftJoinLateral(
      selectFrom(own("reminders").as("r"))
        .select(["r.todo_id", "r.remind_at", "r.status"])
        .where("r.todo_id", "=", expressionBuilder<{ x: RowOf<"todos"> }, "x">().ref("x.id"))
        .offset(sql.lit(0))
        .as("r"),
      (join) => join.onTrue(),
    )
    .select(shownOfTodo.map((column) => `x.${column}` as const))
    .select(["r.todo_id", "r.remind_at", "r.status as reminder_status", category])
    .where(({ eb, fn }) => eb("x.id", "=", fn.any(value("ids")))),
);

function reminderOf({ todo_id, remind_at, reminder_status: status }: Found<typeof todosById>) {
  return todo_id === null || remind_at === null || status === null
    ? undefined
    : { todo_id, remind_at, status };
}
