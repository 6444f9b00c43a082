import type { TodoRow } from "../../../shared/db/entities.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { QueryContext } from "../engine/context.ts";
import { inOrder } from "../todo/order.ts";

export type FeedTodo = Readonly<
  Pick<TodoRow, "id" | "title" | "recurrence_from" | "updated_at" | "created_at"> & {
    description: string | null;
    due_date: string | null;
    due_time: string | null;
    estimated_minutes: number | null;
    recurrence: string | null;
    recurrence_anchor: string | null;
    category_name: string | null;
    /** The time of a reminder that will ring. */
    remind_at: string | null;
  }
>;

/** More todos than a calendar can show, yet few enough to send often. */
const mostTodos = 1_000;

/** Pending todos, the next due first. Events have only those with a due date, because calendars have nowhere else to put them. */
export const readFeedTodos = ({ own, rows }: QueryContext, form: "events" | "tasks"): Promise<FeedTodo[]> =>
  rows(sql<FeedTodo>`
      select t.id, t.title, t.description, t.due_date, t.due_time, t.estimated_minutes, t.recurrence,
        t.recurrence_from, t.recurrence_anchor, t.created_at, t.updated_at, c.name as category_name, r.remind_at
      from (
        select * from ${own("todos")} t
        where not t.is_completed and (${form === "tasks"}::boolean or t.due_date is not null)
        ${inOrder} limit ${literal(mostTodos)}
      ) t
      left join ${own("categories")} c on c.id = t.category_id
      left join lateral (
        select r.remind_at from ${own("reminders")} r where r.todo_id = t.id and r.status = 'scheduled' offset 0
      ) r on true
      ${inOrder}`);

/** The time when the person's feed was made, and the hash of its secret. */
export async function readFeed({ own, rows }: QueryContext) {
  const [feed] = await rows(sql<{ secret_hash: string; created_at: string }>`
    select f.secret_hash, f.created_at from ${own("calendar_feeds")} f`);
  return feed && { secretHash: feed.secret_hash, madeAt: timestamp(feed.created_at) };
}
