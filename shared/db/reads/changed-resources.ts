import type { Static } from "typebox";
import type { ResourceChange } from "../../contracts/change/contracts.ts";
import type { Author } from "../../domain/author.ts";
import { viewerAt } from "../../domain/reach.ts";
import type { ResourceKind } from "../../domain/vocabulary.ts";
import type { CategoryRow, UserRow } from "../entities.ts";
import {
  type CategoryRefRow,
  type PresentedReminder,
  presentCategory,
  presentHabit,
  presentTodo,
  type ShownHabitRow,
  type ShownTodoRow,
  shownOfHabit,
  shownOfTodo,
} from "../present.ts";
import { own } from "./own.ts";
import { columnList, type Sql, sql } from "./sql.ts";

type Rows = <Row>(statement: Sql<Row>) => Promise<Row[]>;

/** The moment at which things are shown (epoch ms), the service's settings, and to whom. */
type View = Readonly<{ now: number; defaultTimeZone: string; baseUrl: string; reader: Author }>;

/**
 * Reads things as GET /changes and webhooks show them, in the order of their places. The rows are at least as new as
 * these. A row that is gone by then is deleted.
 */
export async function readChangedResources(
  rows: Rows,
  things: readonly Readonly<{ kind: ResourceKind; id: number }>[],
  view: View,
): Promise<Static<typeof ResourceChange>[]> {
  const viewer = async () => {
    const [user] = await rows(settings);
    return viewerAt(view.now, user ?? {}, view, view.reader);
  };
  const idsOf = (kind: ResourceKind) => things.flatMap((thing) => (thing.kind === kind ? thing.id : []));
  const [categories, habits, todos] = await Promise.all([
    readKind("category", idsOf("category"), async (ids) =>
      (await rows(categoryRows(ids))).map(presentCategory),
    ),
    readKind("habit", idsOf("habit"), async (ids) => {
      const [found, today] = await Promise.all([rows(habitRows(ids)), viewer()]);
      return found.map((row) => presentHabit(row, row.category ?? undefined, today));
    }),
    readKind("todo", idsOf("todo"), async (ids) => {
      const [found, today] = await Promise.all([rows(todoRows(ids)), viewer()]);
      return found.map((row) =>
        presentTodo(row, row.category ?? undefined, row.reminder ?? undefined, today),
      );
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
  readThem: (ids: Sql) => Promise<readonly Resource[]>,
) {
  // The list is text, because reads with an array cannot be coalesced.
  const list = `{${ids.join(",")}}`;
  const resources = ids.length > 0 ? await readThem(sql`any(${list}::bigint[])`) : [];
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  return ids.map((id) => ({ type, id, deleted: !byId.has(id), resource: byId.get(id) ?? null }));
}

type ViewedBy = Pick<UserRow, "time_zone" | "day_start_hour" | "reminder_channel" | "webhook_disabled_at">;
type Categorised = { category: CategoryRefRow | null };

const settings = sql<ViewedBy>`
  select u.time_zone, u.day_start_hour, u.reminder_channel, u.webhook_disabled_at from ${own("users")} u`;

const category = sql`
  (select jsonb_build_object('id', c.id, 'name', c.name, 'color', c.color)
   from ${own("categories")} c where c.id = x.category_id) as category`;

const categoryRows = (ids: Sql) =>
  sql<CategoryRow>`select x.* from ${own("categories")} x where x.id = ${ids}`;

const habitRows = (ids: Sql) => sql<ShownHabitRow & Categorised>`
  select ${columnList("x", shownOfHabit)}, ${category} from ${own("habits")} x where x.id = ${ids}`;

const todoRows = (ids: Sql) => sql<ShownTodoRow & Categorised & { reminder: PresentedReminder | null }>`
  select ${columnList("x", shownOfTodo)}, ${category},
    (select jsonb_build_object('todo_id', r.todo_id, 'remind_at', r.remind_at::text, 'status', r.status)
     from ${own("reminders")} r where r.todo_id = x.id) as reminder
  from ${own("todos")} x where x.id = ${ids}`;
