import type { Static } from "typebox";
import type { Category } from "../contracts/category-schema.ts";
import type { Habit } from "../contracts/habit-schema.ts";
import type { Reminder } from "../contracts/reminder-schema.ts";
import type { Todo } from "../contracts/todo-schema.ts";
import type { Settings } from "../contracts/user.ts";
import { localTime } from "../domain/day.ts";
import type { Viewer } from "../domain/reach.ts";
import { timestamp } from "../domain/timestamp.ts";
import type { Today } from "../domain/today.ts";
import { HabitEntity } from "./entities/habit.ts";
import { TodoEntity } from "./entities/todo.ts";
import type { CategoryRow, HabitRow, ReminderRow, TodoRow, UserRow } from "./entities.ts";

/** The only way a row becomes JSON: workers' answers, both doors' reads and the dashboard all go through here. */

export type PresentedReminder = Pick<ReminderRow, "todo_id" | "remind_at" | "status">;
type SettingsRow = Omit<UserRow, "created_at" | "updated_at">;
export type CategoryRefRow = Pick<CategoryRow, "id" | "name" | "color">;

type EntityColumns = Readonly<{ properties: object }>;

/** The names of a table's columns, but for some. */
function columnsBut({ properties }: EntityColumns, hidden: readonly string[]): readonly string[] {
  return Object.keys(properties).filter((column) => !hidden.includes(column));
}

export function presentCategory(row: CategoryRow): Static<typeof Category> {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    icon: row.icon ?? null,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

const presentCategoryRef = (row: CategoryRefRow | undefined) =>
  row ? { id: row.id, name: row.name, color: row.color } : null;

const hiddenOfHabit = ["user_id", "streak_state"] as const;
export type ShownHabitRow = Omit<HabitRow, (typeof hiddenOfHabit)[number]>;
/** What of a habit is shown or put in order by; the rest is the streak's working. */
export const shownOfHabit = columnsBut(HabitEntity.meta, hiddenOfHabit);

export function presentHabit(
  row: ShownHabitRow,
  category: CategoryRefRow | undefined,
  today: Today,
): Static<typeof Habit> {
  const aliveThrough = row.streak_alive_through ?? null;
  const isAlive = aliveThrough !== null && today.date <= aliveThrough;
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    frequency: row.frequency,
    schedule: row.schedule ?? null,
    time_of_day: row.time_of_day ?? null,
    description: row.description ?? null,
    streak_count: isAlive ? row.streak : 0,
    longest_streak: row.longest_streak,
    streak_alive_through: isAlive ? aliveThrough : null,
    grace_days: row.grace_days,
    is_completed_today: row.recent_dates.includes(today.date),
    completions_count: row.completions_count,
    category: presentCategoryRef(category),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

const hiddenOfTodo = ["user_id", "completed_on", "recurrence_anchor"] as const;
export type ShownTodoRow = Omit<TodoRow, (typeof hiddenOfTodo)[number]>;
export const shownOfTodo = columnsBut(TodoEntity.meta, hiddenOfTodo);

export function presentTodo(
  row: ShownTodoRow,
  category: CategoryRefRow | undefined,
  reminder: PresentedReminder | undefined,
  viewer: Viewer,
): Static<typeof Todo> {
  const dueDate = row.due_date ?? null;
  return {
    id: row.id,
    title: row.title,
    description: row.description ?? null,
    due_date: dueDate,
    time_of_day: row.time_of_day ?? null,
    estimated_minutes: row.estimated_minutes ?? null,
    context: row.context ?? null,
    is_completed: row.is_completed,
    is_overdue: !row.is_completed && dueDate !== null && dueDate < viewer.date,
    recurrence: row.recurrence ?? null,
    recurrence_from: row.recurrence_from,
    completed_at: row.completed_at ? timestamp(row.completed_at) : null,
    next_todo_id: row.next_todo_id ?? null,
    reminder: reminder ? presentReminder(reminder, viewer) : null,
    category: presentCategoryRef(category),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

export function presentReminder(
  row: PresentedReminder,
  { timeZone, reaches }: Viewer,
): Static<typeof Reminder> {
  const remindAt = timestamp(row.remind_at);
  return {
    todo_id: row.todo_id,
    remind_at: remindAt,
    local_time: localTime(Date.parse(remindAt), timeZone),
    time_zone: timeZone,
    status: row.status,
    reaches,
  };
}

/** @param row undefined for a user who has never chosen anything */
export function presentSettings(
  row: SettingsRow | undefined,
  { timeZone, dayStartHour }: { timeZone: string; dayStartHour: number },
): Static<typeof Settings> {
  return {
    time_zone: timeZone,
    day_start_hour: dayStartHour,
    reminder_channel: row?.reminder_channel ?? "log",
    email: row?.email ?? null,
    webhook_url: row?.webhook_url ?? null,
    webhook_secret: row?.webhook_secret ?? null,
    webhook_failures: row?.webhook_failures ?? 0,
    webhook_disabled_at: row?.webhook_disabled_at ? timestamp(row.webhook_disabled_at) : null,
  };
}
