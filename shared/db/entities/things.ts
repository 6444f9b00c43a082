import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { categoryFields } from "../../contracts/category/fields.ts";
import { habitFields } from "../../contracts/habit/fields.ts";
import type { ColumnsOf, ColumnType, DeclaredFields } from "../../contracts/kernel/declared-fields.ts";
import { todoFields } from "../../contracts/todo/fields.ts";
import type { Pause } from "../../domain/habit/free-days.ts";
import type { Edit } from "../../domain/habit/history.ts";
import type { ReminderChannel } from "../../domain/reminder/channels.ts";
import type { DeliveryStatus, ReminderStatus } from "../../domain/vocabulary.ts";

export const table = <const Name extends string, Columns extends Record<string, unknown>>(
  tableName: Name,
  properties: Columns,
) => defineEntity({ name: tableName, tableName, properties });

/** Column types that several tables share. Timestamps are UTC strings with microseconds, dates are `YYYY-MM-DD`. */
export const timestamptz = () => p.string().columnType("timestamptz");
export const uuid = () => p.string().columnType("uuid");
export const date = () => p.string().columnType("date");
/** The token's `sub`. It is part of every key, and so is ownership. */
export const owner = () => p.text().primary();
const id = () => p.bigint("number").primary();
/** The deleted category of the row. Ids are never given out again, so it leads to this category or to none. */
const formerCategory = { former_category_id: p.bigint("number").nullable() };
/** Set from the start of a reminder's delivery. Moving the reminder clears it, which cancels that delivery. */
const delivery = { delivery_id: uuid().nullable() };
/** The maker of a thing, the last to change it and the last to write its words (shared/domain/author.ts). The unit of work signs rows. */
const authors = {
  created_by: p.text().nullable(),
  changed_by: p.text().nullable(),
  written_by: p.text().nullable(),
};
export const timestamps = { created_at: timestamptz(), updated_at: timestamptz() };

const builders = {
  text: p.text,
  time_of_day: () => p.string().columnType("time_of_day"),
  integer: p.integer,
  decimal: () => p.float().columnType("double precision"),
  bigint: () => p.bigint("number"),
  boolean: p.boolean,
  date,
  timestamptz,
  jsonb: p.json,
} satisfies Record<ColumnType, unknown>;

/** The types of properties, as MikroORM infers them. */
type PropertiesOf<Declared extends DeclaredFields> = {
  [Name in keyof ColumnsOf<Declared>]: Readonly<{
    "~type"?: { value: ColumnsOf<Declared>[Name] };
    "~options": object;
  }>;
};

function columnsOf<Declared extends DeclaredFields>(fields: Declared): PropertiesOf<Declared> {
  const columns = Object.entries(fields).map(([name, { column, usual }]): [string, unknown] => {
    const built = builders[column]();
    return [name, usual === null ? built.nullable() : built];
  });
  return Object.fromEntries(columns) as PropertiesOf<Declared>;
}

export const CategoryEntity = table("categories", {
  user_id: owner(),
  id: id(),
  ...columnsOf(categoryFields),
  ...authors,
  ...timestamps,
});

export type CategoryRow = InferEntity<typeof CategoryEntity>;

export const HabitEntity = table("habits", {
  user_id: owner(),
  id: id(),
  ...columnsOf(habitFields),
  ...formerCategory,
  completions_count: p.integer(),
  /** Valid until the end of `streak_alive_through`; after that day the streak is 0. */
  streak: p.integer(),
  streak_alive_through: date().nullable(),
  longest_streak: p.integer(),
  next_due: date().nullable(),
  /** Completed dates that can be today, now or after a change of zone. */
  recent_dates: p.array().columnType("date[]"),
  /** Free days by pauses and skips; with a week schedule, whole weeks. */
  free_dates: p.string().columnType("datemultirange"),
  /** The sums of the last days. */
  recent_amounts: p.json().$type<Readonly<Record<string, number>>>(),
  // The history (shared/domain/habit/history.ts), from which the columns above are computed.
  done_from: date().nullable(),
  done_days: p.string().columnType("varbit"),
  edits: p.json().$type<readonly Edit[]>(),
  pauses: p.json().$type<readonly Pause[]>(),
  skipped_dates: p.array().columnType("date[]"),
  neutral_dates: p.array().columnType("date[]"),
  moved_to: date().nullable(),
  /** The next instant at which its reminder rings. */
  rings_at: timestamptz().nullable(),
  /** The last day on which it rang. */
  rang_on: date().nullable(),
  ...delivery,
  ...authors,
  ...timestamps,
});

export const HabitCompletionEntity = table("habit_completions", {
  user_id: owner(),
  habit_id: p.bigint("number").primary(),
  local_date: date().primary(),
  completed_at: timestamptz(),
  note: p.text().nullable(),
});

/**
 * A day's sum, where there is one. The day is completed exactly if the sum has reached the target of this row, which is 0
 * for a day that was ticked off without one. So a completion is there, and later targets change no past day.
 */
export const HabitAmountEntity = table("habit_amounts", {
  user_id: owner(),
  habit_id: p.bigint("number").primary(),
  local_date: date().primary(),
  amount: builders.decimal(),
  target: builders.decimal(),
  begun_at: timestamptz(),
});

export type HabitAmountRow = InferEntity<typeof HabitAmountEntity>;
export type HabitRow = InferEntity<typeof HabitEntity>;
export type HabitCompletionRow = InferEntity<typeof HabitCompletionEntity>;

export const TodoEntity = table("todos", {
  user_id: owner(),
  id: id(),
  ...columnsOf(todoFields),
  ...formerCategory,
  ...authors,
  ...timestamps,
});

export type TodoRow = InferEntity<typeof TodoEntity>;

export const ReminderEntity = table("reminders", {
  user_id: owner(),
  todo_id: p.bigint("number").primary(),
  remind_at: timestamptz(),
  /** Set when the time was given without an offset; the reminder then follows the user's zone. */
  wall_time: p.string().columnType("timestamp").nullable(),
  status: p.text().$type<ReminderStatus>(),
  ...delivery,
  ...timestamps,
});

/** A message in words, with the address of its page. */
export type AccountMessage = Readonly<{ title: string; notes: string; url: string }>;

/** One row per reminder that fell due. Receivers get its id and can drop repeats. */
export const ReminderDeliveryEntity = table("reminder_deliveries", {
  user_id: owner(),
  id: uuid().primary(),
  /** A delivery without any of the next three is a test of a channel. */
  todo_id: p.bigint("number").nullable(),
  habit_id: p.bigint("number").nullable(),
  /** Set for a message that is no reminder: requests wait, agents changed things, a webhook was switched off, or `said`. */
  about: p.text().$type<"approvals" | "digest" | "webhooks" | "account">().nullable(),
  said: p.json().$type<AccountMessage>().nullable(),
  /** The channel of the last attempt. */
  channel: p.text().$type<ReminderChannel>().nullable(),
  status: p.text().$type<DeliveryStatus>(),
  attempts: p.integer(),
  late: p.boolean(),
  error: p.text().nullable(),
  /** The used links of its message, separated by commas. */
  used_acts: p.text(),
  scheduled_at: timestamptz(),
  /** The time when its person asked for another attempt; null for a reminder that came due by itself. */
  asked_at: timestamptz().nullable(),
  /** The time of the next attempt by a tick, unless it is finished before. */
  next_attempt_at: timestamptz(),
  created_at: timestamptz(),
  finished_at: timestamptz().nullable(),
});

export type ReminderRow = InferEntity<typeof ReminderEntity>;
export type ReminderDeliveryRow = InferEntity<typeof ReminderDeliveryEntity>;

/** A browser that shows a person's reminders (Web Push, RFC 8030). */
export const PushSubscriptionEntity = table("push_subscriptions", {
  user_id: owner(),
  /** Derived from the endpoint, so a browser that subscribes again keeps its row. */
  id: uuid().primary(),
  endpoint: p.text(),
  /** The browser's public key and its shared secret, in base64url (RFC 8291). */
  p256dh: p.text(),
  auth: p.text(),
  /** The name of the browser, for example `Firefox on Linux`. */
  browser: p.text(),
  created_at: timestamptz(),
});

export type PushSubscriptionRow = InferEntity<typeof PushSubscriptionEntity>;

/** Tables whose deletions leave a tombstone, by their numbers. */
export const deletionKinds = { categories: 1, habits: 2, todos: 3 } as const;

/** Tombstones of the last 30 days. The statement that deletes a row writes its tombstone. */
export const DeletionEntity = table("deletions", {
  user_id: owner(),
  /** The number of the transaction that deleted it. */
  changed_xid: p.string().columnType("xid8").primary(),
  /** One of `deletionKinds`. */
  kind: p.smallint().primary(),
  id: id(),
  deleted_at: timestamptz(),
});

export type DeletionRow = InferEntity<typeof DeletionEntity>;
