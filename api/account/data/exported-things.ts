import { timestamp } from "../../../shared/domain/timestamp.ts";
import type { Everything } from "../../queries/everything.ts";

/** The form of a file. A reader that does not know this number must not guess. */
export const exportFormat = { format: "kept-export", version: 1 } as const;

type Present<Kind extends keyof Everything> = (row: Everything[Kind]) => Readonly<Record<string, unknown>>;

const times = (row: Readonly<{ created_at: string; updated_at: string }>) => ({
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

/** What a file has of each thing. Streaks are not among it, because they follow from the completions. */
export const presentInFile: { [Kind in keyof Everything]: Present<Kind> } = {
  categories: (row) => ({
    id: row.id,
    name: row.name,
    color: row.color,
    icon: row.icon ?? null,
    ...times(row),
  }),
  habits: (row) => ({
    id: row.id,
    name: row.name,
    type: row.type,
    frequency: row.frequency,
    schedule: row.schedule ?? null,
    time_of_day: row.time_of_day ?? null,
    description: row.description ?? null,
    grace_days: row.grace_days,
    category_id: row.category_id ?? null,
    ...times(row),
  }),
  completions: (row) => ({
    habit_id: row.habit_id,
    date: row.local_date,
    completed_at: timestamp(row.completed_at),
  }),
  todos: (row) => ({
    id: row.id,
    title: row.title,
    description: row.description ?? null,
    due_date: row.due_date ?? null,
    time_of_day: row.time_of_day ?? null,
    estimated_minutes: row.estimated_minutes ?? null,
    context: row.context ?? null,
    category_id: row.category_id ?? null,
    is_completed: row.is_completed,
    completed_at: row.completed_at ? timestamp(row.completed_at) : null,
    completed_on: row.completed_on ?? null,
    recurrence: row.recurrence ?? null,
    recurrence_from: row.recurrence_from,
    recurrence_anchor: row.recurrence_anchor ?? null,
    next_todo_id: row.next_todo_id ?? null,
    reminder: presentReminder(row),
    ...times(row),
  }),
};

/** `wall_time` is the time that was given without a zone, which follows the person to another one. */
function presentReminder({ remind_at, wall_time, reminder_status }: Everything["todos"]) {
  if (remind_at === null || reminder_status === null) return null;
  return {
    remind_at: timestamp(remind_at),
    wall_time: wall_time?.replace(" ", "T") ?? null,
    status: reminder_status,
  };
}
