import type { CategoryRow, UserRow } from "../../shared/db/entities.ts";
import type { Database } from "../../shared/db/orm.ts";
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
} from "../../shared/db/present.ts";
import { ofUser, own } from "../../shared/db/reads/own.ts";
import { columnList, type Sql, sql } from "../../shared/db/reads/sql.ts";
import { viewerAt } from "../../shared/domain/reach.ts";
import type { ResourceKind } from "../../shared/domain/vocabulary.ts";
import type { WebhookSubject } from "../../shared/domain/webhook.ts";
import type { Config } from "../../shared/process/config.ts";

type PayloadContext = Readonly<{
  database: Pick<Database, "pool">;
  config: Pick<Config, "defaultTimeZone" | "baseUrl">;
}>;

type Subject = Readonly<{ user_id: string; subject: WebhookSubject; thing_id: number; now_ms: number }>;

type Categorised = { category: CategoryRefRow | null };
type ViewedBy = Pick<UserRow, "time_zone" | "day_start_hour" | "reminder_channel" | "webhook_disabled_at">;

/**
 * The event of a delivery: what GET /changes shows of its thing now, which is at least as new as the change.
 */
export async function eventOf(context: PayloadContext, delivery: Subject) {
  const { subject, thing_id: id, now_ms } = delivery;
  const kind = subject === "due_todo" ? "todo" : subject === "due_habit" ? "habit" : subject;
  const resource = (await readers[kind](context, delivery)) ?? null;
  const verb = resource === null ? "deleted" : "changed";
  return {
    type: kind === subject || resource === null ? `${kind}.${verb}` : "reminder.due",
    timestamp: new Date(now_ms).toISOString(),
    data: { type: kind, id, deleted: resource === null, resource },
  };
}

const category = sql`
  (select jsonb_build_object('id', c.id, 'name', c.name, 'color', c.color)
   from ${own("categories")} c where c.id = x.category_id) as category`;

type Reader = (context: PayloadContext, delivery: Subject) => Promise<object | undefined>;

const readers: Readonly<Record<ResourceKind, Reader>> = {
  async category(context, { user_id, thing_id }) {
    const row = await one(
      context,
      user_id,
      sql<CategoryRow>`select x.* from ${own("categories")} x where x.id = ${thing_id}`,
    );
    return row && presentCategory(row);
  },
  async habit(context, delivery) {
    const row = await one(
      context,
      delivery.user_id,
      sql<ShownHabitRow & Categorised>`
        select ${columnList("x", shownOfHabit)}, ${category} from ${own("habits")} x where x.id = ${delivery.thing_id}`,
    );
    return row && presentHabit(row, row.category ?? undefined, await viewerOf(context, delivery));
  },
  async todo(context, delivery) {
    const row = await one(
      context,
      delivery.user_id,
      sql<ShownTodoRow & Categorised & { reminder: PresentedReminder | null }>`
        select ${columnList("x", shownOfTodo)}, ${category},
          (select jsonb_build_object('todo_id', r.todo_id, 'remind_at', r.remind_at::text, 'status', r.status)
           from ${own("reminders")} r where r.todo_id = x.id) as reminder
        from ${own("todos")} x where x.id = ${delivery.thing_id}`,
    );
    return (
      row &&
      presentTodo(
        row,
        row.category ?? undefined,
        row.reminder ?? undefined,
        await viewerOf(context, delivery),
      )
    );
  },
};

async function viewerOf(context: PayloadContext, { user_id, now_ms }: Subject) {
  const user = await one(
    context,
    user_id,
    sql<ViewedBy>`
    select u.time_zone, u.day_start_hour, u.reminder_channel, u.webhook_disabled_at from ${own("users")} u`,
  );
  return viewerAt(now_ms, user ?? {}, context.config, { tokenId: "", name: null });
}

async function one<Row>({ database }: PayloadContext, userId: string, statement: Sql<Row>) {
  const { text, values } = ofUser(statement, userId);
  const { rows } = await database.pool.query(text, values);
  return rows[0] as Row | undefined;
}
