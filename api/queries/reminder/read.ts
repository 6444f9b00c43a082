import { type PresentedReminder, presentReminder } from "../../../shared/db/present.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { notFound } from "../../../shared/errors.ts";
import {
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryHandler,
} from "../engine/context.ts";

export const readReminder: QueryHandler<"reminder.get"> = async (query, { todo_id }) => {
  const found = await query.rows(sql<PresentedReminder & DaySettingsColumns>`
    select r.todo_id, r.remind_at, r.status, ${daySettingsColumns}
    from ${query.own("reminders")} r where r.todo_id = ${todo_id}::bigint`);
  const [row] = found;
  return row ? presentReminder(row, daySettingsOf(found, query).today) : notFound("Reminder");
};
