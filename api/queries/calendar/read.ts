import { sql } from "kysely";
import { type Found, own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { QueryContext } from "../engine/context.ts";
import { byDueDate, isPending } from "../todo/order.ts";

/** More todos than a calendar can show, yet few enough to send often. */
const mostTodos = 1_000;

const feedTodos = statement({ has_undated: "boolean" }, (value) =>
  selectFrom(
    selectFrom(own("todos").as("t"))
      .selectAll("t")
      .where(isPending)
      .where(({ eb, or }) => or([value("has_undated"), eb("t.due_date", "is not", null)]))
      .orderBy(byDueDate)
      .limit(sql.lit(mostTodos))
      .as("t"),
  )
    .leftJoin(own("categories").as("c"), "c.id", "t.category_id")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom(own("reminders").as("r"))
          .select("r.remind_at")
          .whereRef("r.todo_id", "=", "t.id")
          .where("r.status", "=", sql.lit("scheduled"))
          .offset(sql.lit(0))
          .as("r"),
      (join) => join.onTrue(),
    )
    .select(["t.id", "t.title", "t.description", "t.due_date", "t.due_time", "t.estimated_minutes"])
    .select(["t.recurrence", "t.recurrence_from", "t.recurrence_anchor", "t.created_at", "t.updated_at"])
    .select(["c.name as category_name", "r.remind_at"])
    .orderBy(byDueDate),
);

/** A todo of a calendar, with the time of a reminder that will ring. */
export type FeedTodo = Found<typeof feedTodos>;

/** Pending todos, the next due first. Events have only those with a due date, because calendars have nowhere else to put them. */
export const readFeedTodos = ({ rows }: QueryContext, form: "events" | "tasks"): Promise<FeedTodo[]> =>
  rows(feedTodos({ has_undated: form === "tasks" }));

const calendarFeed = statement({}, () =>
  selectFrom(own("calendar_feeds").as("f")).select(["f.secret_hash", "f.created_at"]),
);

export async function readFeed({ rows }: QueryContext) {
  const [feed] = await rows(calendarFeed({}));
  return feed && { secretHash: feed.secret_hash, madeAt: timestamp(feed.created_at) };
}
