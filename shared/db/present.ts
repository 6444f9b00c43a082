import type { Static, TSchema } from "typebox";
import { categoryFields } from "../contracts/category/fields.ts";
import { Category } from "../contracts/category/schema.ts";
import { habitFields } from "../contracts/habit/fields.ts";
import { Habit } from "../contracts/habit/schema.ts";
import type { ColumnsOf, DeclaredFields } from "../contracts/kernel/declared-fields.ts";
import { todoFields } from "../contracts/todo/fields.ts";
import type { Reminder } from "../contracts/todo/reminder-schema.ts";
import { Todo } from "../contracts/todo/schema.ts";
import type { Settings } from "../contracts/user/contracts.ts";
import { localTime } from "../domain/day/day.ts";
import { timestamp } from "../domain/day/timestamp.ts";
import type { Today } from "../domain/day/today.ts";
import type { Viewer } from "../domain/reach.ts";
import { perTarget } from "../domain/reminder/channels.ts";
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

type CommonColumns = { id: number; created_at: string; updated_at: string };
type Columns<Declared extends DeclaredFields> = ColumnsOf<Declared> & CommonColumns;
type AnswerSchema = TSchema & Readonly<{ properties: Readonly<Record<string, TSchema>> }>;

/**
 * Makes the function that copies the fields of a row into an answer, in the order of its schema; it takes what the schema
 * has beside them. It becomes code, as TypeBox's checks do: a loop over names takes thrice as long, for each row of a list.
 */
function copyFields<Answer extends AnswerSchema, Declared extends DeclaredFields>(
  answer: Answer,
  fields: Declared,
) {
  type Copied = keyof Static<Answer> & keyof Columns<Declared>;
  type Copy = (row: Pick<Columns<Declared>, Copied>, others: Omit<Static<Answer>, Copied>) => Static<Answer>;
  const common = { id: "link", created_at: "instant", updated_at: "instant" };
  const kinds = new Map(Object.entries(common));
  for (const [name, { kind }] of Object.entries(fields)) kinds.set(name, kind);
  const properties = Object.keys(answer.properties).map((name) => {
    const kind = kinds.get(name);
    if (kind === undefined) return `${name}: others.${name}`;
    return kind === "instant"
      ? `${name}: row.${name} == null ? null : timestamp(row.${name})`
      : `${name}: row.${name} ?? null`;
  });
  const make = new Function("timestamp", `return (row, others) => ({ ${properties.join(", ")} })`);
  return make(timestamp) as Copy;
}

const copyCategory = copyFields(Category, categoryFields);
const copyHabit = copyFields(Habit, habitFields);
const copyTodo = copyFields(Todo, todoFields);

export const presentCategory = (row: CategoryRow): Static<typeof Category> => copyCategory(row, {});

const presentCategoryRef = (row: CategoryRefRow | undefined) =>
  row ? { id: row.id, name: row.name, color: row.color } : null;

const hiddenOfHabit = ["user_id", "streak_state"] as const;
export type ShownHabitRow = Omit<HabitRow, (typeof hiddenOfHabit)[number]>;
/** Columns to select for lists; the rest is the streak's internal state. */
export const shownOfHabit = columnsBut(HabitEntity.meta, hiddenOfHabit);

export function presentHabit(
  row: ShownHabitRow,
  category: CategoryRefRow | undefined,
  today: Today,
): Static<typeof Habit> {
  const aliveThrough = row.streak_alive_through ?? null;
  const isAlive = aliveThrough !== null && today.date <= aliveThrough;
  return copyHabit(row, {
    streak_count: isAlive ? row.streak : 0,
    longest_streak: row.longest_streak,
    streak_alive_through: isAlive ? aliveThrough : null,
    is_completed_today: row.recent_dates.includes(today.date),
    completions_count: row.completions_count,
    category: presentCategoryRef(category),
  });
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
  const { is_completed, due_date } = row;
  return copyTodo(row, {
    is_overdue: !is_completed && due_date !== null && due_date < viewer.date,
    reminder: reminder ? presentReminder(reminder, viewer) : null,
    category: presentCategoryRef(category),
  });
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
    ...perTarget(({ column }) => row?.[column] ?? null),
    webhook_secret: row?.webhook_secret ?? null,
    webhook_failures: row?.webhook_failures ?? 0,
    webhook_disabled_at: row?.webhook_disabled_at ? timestamp(row.webhook_disabled_at) : null,
  };
}
