import type { Everything, KindOfThing } from "../../queries/everything.ts";
import { presentInFile } from "./exported-things.ts";

const times = ["created_at", "updated_at"];

/** The columns of the table of each kind, in their order. */
export const columnsOf: Readonly<Record<KindOfThing, readonly string[]>> = {
  categories: ["id", "name", "color", "icon", ...times],
  habits: [
    ...["id", "name", "type", "frequency", "schedule", "time_of_day", "description", "grace_days"],
    ...["category_id", "category", "completions", "longest_streak", ...times],
  ],
  completions: ["habit_id", "date", "completed_at"],
  todos: [
    ...["id", "title", "description", "due_date", "time_of_day", "estimated_minutes", "context"],
    ...["category_id", "category", "is_completed", "completed_at", "completed_on"],
    ...["recurrence", "recurrence_from", "recurrence_anchor", "next_todo_id"],
    ...["remind_at", "remind_at_wall_time", "reminder_status", ...times],
  ],
};

/** What a table has beside what the file that can be brought back has, to be read by people. */
const additions: { [Kind in KindOfThing]: (row: Everything[Kind]) => Readonly<Record<string, unknown>> } = {
  categories: () => ({}),
  habits: (row) => ({
    category: row.category_name,
    completions: row.completions_count,
    longest_streak: row.longest_streak,
  }),
  completions: () => ({}),
  todos: (row) => ({
    category: row.category_name,
    remind_at: row.remind_at,
    remind_at_wall_time: row.wall_time,
    reminder_status: row.reminder_status,
  }),
};

export const presentInTable = <Kind extends KindOfThing>(
  kind: Kind,
  row: Everything[Kind],
): Readonly<Record<string, unknown>> => ({ ...presentInFile[kind](row), ...additions[kind](row) });
