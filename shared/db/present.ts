import type { Static, TSchema } from "typebox";
import { Category, categoryFields } from "../contracts/category/fields.ts";
import { Habit, habitFields } from "../contracts/habit/fields.ts";
import type { ColumnsOf, DeclaredFields } from "../contracts/kernel/declared-fields.ts";
import type { Reminder } from "../contracts/todo/fields.ts";
import { Todo, todoFields } from "../contracts/todo/fields.ts";
import type { Settings } from "../contracts/user/contracts.ts";
import type { Webhook, WebhookDelivery } from "../contracts/webhook/contracts.ts";
import { neverShown } from "../domain/action/image-fields.ts";
import { type Author, otherAuthor } from "../domain/author.ts";
import { addDays, localTime, timestamp } from "../domain/day/day.ts";
import { daysBack, daysShown } from "../domain/habit/history.ts";
import { endless } from "../domain/habit/streak.ts";
import type { Viewer } from "../domain/reach.ts";
import { isOverdue } from "../domain/reach.ts";
import { perTarget } from "../domain/reminder/channels.ts";
import { HabitEntity, TodoEntity } from "./entities/things.ts";
import type {
  CategoryRow,
  HabitRow,
  ReminderRow,
  TodoRow,
  UserRow,
  WebhookDeliveryRow,
  WebhookRow,
} from "./entities.ts";

/** The only way from a row to JSON, for workers' answers, both doors' reads and the dashboard. */

type PresentedReminder = Pick<ReminderRow, "todo_id" | "remind_at" | "status">;
type SettingsRow = Omit<UserRow, "created_at" | "updated_at">;
export type CategoryRefRow = Pick<CategoryRow, "id" | "name" | "color">;

export const columnsBut = <Column extends string, Hidden extends string>(
  { properties }: Readonly<{ properties: Readonly<Record<Column, unknown>> }>,
  hidden: readonly Hidden[],
) =>
  Object.keys(properties).filter(
    (column): column is Exclude<Column, Hidden> => !hidden.some((one) => one === column),
  );

type CommonColumns = { id: number; created_at: string; updated_at: string };
type Columns<Declared extends DeclaredFields> = ColumnsOf<Declared> & CommonColumns;
type AnswerSchema = TSchema & Readonly<{ properties: Readonly<Record<string, TSchema>> }>;

/**
 * Makes the function that copies the fields of a row into an answer, in the order of its schema; it takes the other
 * fields as an argument. It generates code, as TypeBox does: a loop over names takes three times as long, for each
 * row of a list.
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
  const copy: Copy = make(timestamp);
  return copy;
}

const copyCategory = copyFields(Category, categoryFields);
const copyHabit = copyFields(Habit, habitFields);
const copyTodo = copyFields(Todo, todoFields);

export const presentCategory = (row: CategoryRow): Static<typeof Category> => copyCategory(row, {});

const presentCategoryRef = (row: CategoryRefRow | undefined) =>
  row ? { id: row.id, name: row.name, color: row.color } : null;

const hiddenOfHabit = ["user_id", ...neverShown, "created_by", "changed_by"] as const;
type ShownHabitRow = Omit<HabitRow, (typeof hiddenOfHabit)[number]>;
/** Columns to select for lists; the rest is the history. */
export const shownOfHabit = columnsBut(HabitEntity.meta, hiddenOfHabit);

export function presentHabit(
  row: ShownHabitRow,
  category: CategoryRefRow | undefined,
  today: Viewer,
): Static<typeof Habit> {
  const aliveThrough = row.streak_alive_through ?? null;
  const isAlive = aliveThrough !== null && today.date <= aliveThrough;
  const first = addDays(today.date, -daysBack);
  return copyHabit(row, {
    reaches: row.remind_at == null ? null : today.reaches,
    choose_channel_at: row.remind_at == null ? null : chooseChannelAt(today),
    streak_count: isAlive ? row.streak : 0,
    longest_streak: row.longest_streak,
    streak_alive_through: isAlive && aliveThrough !== endless ? aliveThrough : null,
    skipped_dates: row.skipped_dates.filter((date) => date >= first),
    is_completed_today: row.recent_dates.includes(today.date),
    amount_today: row.target == null ? null : (row.recent_amounts[today.date] ?? 0),
    recent_amounts: recentAmounts(row, today.date),
    completions_count: row.completions_count,
    written_by: otherAuthor(row.written_by, today.reader),
    category: presentCategoryRef(category),
  });
}

const recentAmounts = ({ recent_amounts }: ShownHabitRow, today: string) =>
  Object.entries(recent_amounts)
    .map(([date, amount]) => ({ date, amount }))
    .filter(({ date }) => addDays(date, daysShown) >= today)
    .sort((one, other) => (one.date < other.date ? 1 : -1));

const chooseChannelAt = ({ reaches, baseUrl }: Viewer): string | null =>
  reaches === "nobody" ? `${baseUrl}/account/settings` : null;

const hiddenOfTodo = ["user_id", "completed_on", "recurrence_anchor", "created_by", "changed_by"] as const;
type ShownTodoRow = Omit<TodoRow, (typeof hiddenOfTodo)[number]>;
export const shownOfTodo = columnsBut(TodoEntity.meta, hiddenOfTodo);

export function presentTodo(
  row: ShownTodoRow,
  category: CategoryRefRow | undefined,
  reminder: PresentedReminder | undefined,
  viewer: Viewer,
): Static<typeof Todo> {
  return copyTodo(row, {
    is_overdue: isOverdue(row, viewer),
    reminder: reminder ? presentReminder(reminder, viewer) : null,
    written_by: otherAuthor(row.written_by, viewer.reader),
    category: presentCategoryRef(category),
  });
}

export function presentReminder(row: PresentedReminder, viewer: Viewer): Static<typeof Reminder> {
  const { timeZone, reaches } = viewer;
  const remindAt = timestamp(row.remind_at);
  return {
    todo_id: row.todo_id,
    remind_at: remindAt,
    local_time: localTime(Date.parse(remindAt), timeZone),
    time_zone: timeZone,
    status: row.status,
    reaches,
    choose_channel_at: chooseChannelAt(viewer),
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
    locale: row?.locale ?? null,
    theme: row?.theme ?? "system",
    week_start: row?.week_start ?? "language",
    reminder_channel: row?.reminder_channel ?? "log",
    digest: row?.digest ?? "never",
    ...perTarget(({ column }) => row?.[column] ?? null),
    webhook_secret: row?.webhook_secret ?? null,
    webhook_failures: row?.webhook_failures ?? 0,
    webhook_disabled_at: row?.webhook_disabled_at ? timestamp(row.webhook_disabled_at) : null,
  };
}

const instant = (at: string | null | undefined): string | null => (at == null ? null : timestamp(at));

/** Leaves the secret out, and shows others' tokens only the host, because an address may be a secret too. */
export const presentWebhook = (
  row: Omit<WebhookRow, "secret" | "user_id">,
  { tokenId }: Pick<Author, "tokenId">,
): Webhook => ({
  id: row.id,
  url: tokenId === "" || tokenId === row.made_by ? row.url : `${new URL(row.url).origin}/…`,
  events: [...row.events],
  is_active: row.is_active,
  failing_since: instant(row.failing_since),
  disabled_at: instant(row.disabled_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

export const presentDelivery = (row: WebhookDeliveryRow): Static<typeof WebhookDelivery> => ({
  id: row.id,
  subject: row.subject,
  thing_id: Number(row.thing_id),
  status: row.status,
  attempts: row.attempts,
  error: row.error ?? null,
  next_attempt_at: row.finished_at == null ? timestamp(row.next_attempt_at) : null,
  created_at: timestamp(row.created_at),
  finished_at: instant(row.finished_at),
});
