import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { Schedule } from "../domain/schedule.ts";
import type { StreakState } from "../domain/streak.ts";

/**
 * The tables, once: handlers, reads and the unit of work take columns and types from here.
 * Every user-owned row is keyed by (user_id, …), where user_id is the token's `sub`, so that ownership is
 * part of the key. Timestamps are UTC strings with microseconds, dates are `YYYY-MM-DD`.
 */
const timestamp = () => p.string().columnType("timestamptz");
const date = () => p.string().columnType("date");
const owner = () => p.text().primary();
const id = () => p.bigint("number").primary();
const timestamps = { created_at: timestamp(), updated_at: timestamp() };

export const TimeOfDay = ["morning", "afternoon", "evening"] as const;
export type TimeOfDay = (typeof TimeOfDay)[number];
const timeOfDay = () => p.string().columnType("time_of_day").$type<TimeOfDay>().nullable();

export const ReminderChannel = ["log", "email", "webhook"] as const;
export type ReminderChannel = (typeof ReminderChannel)[number];

export const UserEntity = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    user_id: owner(),
    time_zone: p.text(),
    /** `chosen` on the settings page, or `claim`: taken from the token's `zoneinfo`. */
    zone_source: p.text().$type<"chosen" | "claim">(),
    /** Issue time of the token that carried the claim; an older token never overrides a newer one. */
    zone_claimed_at: timestamp().nullable(),
    day_start_hour: p.integer(),
    reminder_channel: p.text().$type<ReminderChannel>(),
    /** Verified by the identity provider; reminders by e-mail go there. */
    email: p.text().nullable(),
    webhook_url: p.text().nullable(),
    webhook_secret: p.text().nullable(),
    /** Failed attempts in a row, and since when: a webhook that fails for a day is switched off. */
    webhook_failures: p.integer(),
    webhook_failing_since: timestamp().nullable(),
    webhook_disabled_at: timestamp().nullable(),
    /** The delivery that the test button made last. */
    webhook_test_id: p.string().columnType("uuid").nullable(),
    /** Sessions of the account pages are those of one generation: a new one ends them all. */
    session_generation: p.integer(),
    ...timestamps,
  },
});

export const CategoryEntity = defineEntity({
  name: "Category",
  tableName: "categories",
  properties: {
    user_id: owner(),
    id: id(),
    name: p.text(),
    color: p.text(),
    icon: p.text().nullable(),
    ...timestamps,
  },
});

export const HabitEntity = defineEntity({
  name: "Habit",
  tableName: "habits",
  properties: {
    user_id: owner(),
    id: id(),
    name: p.text(),
    type: p.text().$type<"good" | "bad">(),
    frequency: p.text().$type<"daily" | "weekly" | "custom">(),
    schedule: p.json().$type<Schedule>().nullable(),
    time_of_day: timeOfDay(),
    category_id: p.bigint("number").nullable(),
    description: p.text().nullable(),
    grace_days: p.integer(),
    completions_count: p.integer(),
    /** The streak while it lives, which is until the end of `streak_alive_through`; then 0. */
    streak: p.integer(),
    streak_alive_through: date().nullable(),
    longest_streak: p.integer(),
    next_due: date().nullable(),
    /** The last completed dates: all that "today" could still be, or become again by a journey. */
    recent_dates: p.array().columnType("date[]"),
    streak_state: p.json().$type<StreakState>(),
    ...timestamps,
  },
});

export const HabitCompletionEntity = defineEntity({
  name: "HabitCompletion",
  tableName: "habit_completions",
  properties: {
    user_id: owner(),
    habit_id: p.bigint("number").primary(),
    local_date: date().primary(),
    completed_at: timestamp(),
  },
});

export const TodoEntity = defineEntity({
  name: "Todo",
  tableName: "todos",
  properties: {
    user_id: owner(),
    id: id(),
    title: p.text(),
    description: p.text().nullable(),
    due_date: date().nullable(),
    time_of_day: timeOfDay(),
    estimated_minutes: p.integer().nullable(),
    context: p.text().nullable(),
    category_id: p.bigint("number").nullable(),
    is_completed: p.boolean(),
    completed_at: timestamp().nullable(),
    /** The user's date at completion, for the activity strip; travel never rewrites it. */
    completed_on: date().nullable(),
    recurrence: p.text().nullable(),
    recurrence_from: p.text().$type<"due" | "completion">(),
    recurrence_anchor: date().nullable(),
    next_todo_id: p.bigint("number").nullable(),
    ...timestamps,
  },
});

export const ReminderEntity = defineEntity({
  name: "Reminder",
  tableName: "reminders",
  properties: {
    user_id: owner(),
    todo_id: p.bigint("number").primary(),
    remind_at: timestamp(),
    /** Set when the time was given without an offset: it then follows the user's zone. */
    wall_time: p.string().columnType("timestamp").nullable(),
    status: p.text().$type<"scheduled" | "suspended" | "sent" | "missed" | "failed">(),
    /** Set while it is being delivered and after: moving the reminder clears it, which calls that delivery off. */
    delivery_id: p.string().columnType("uuid").nullable(),
    ...timestamps,
  },
});

export const DeliveryStatus = [
  "queued",
  "sending",
  "retrying",
  "sent",
  "failed",
  "missed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof DeliveryStatus)[number];

/** One row per reminder that fell due. Its id goes along to the receiver, who drops repeats by it. */
export const ReminderDeliveryEntity = defineEntity({
  name: "ReminderDelivery",
  tableName: "reminder_deliveries",
  properties: {
    user_id: owner(),
    id: p.string().columnType("uuid").primary(),
    /** Null: a test of the user's webhook. */
    todo_id: p.bigint("number").nullable(),
    /** The channel of the last attempt. */
    channel: p.text().$type<ReminderChannel>().nullable(),
    status: p.text().$type<DeliveryStatus>(),
    attempts: p.integer(),
    late: p.boolean(),
    error: p.text().nullable(),
    scheduled_at: timestamp(),
    /** When a tick takes it up (again) if it is not finished by then. */
    next_attempt_at: timestamp(),
    created_at: timestamp(),
    finished_at: timestamp().nullable(),
  },
});

/** One row per MCP tool call, keyed by its request id: a redelivered batch cannot log a call twice. */
export const ActionEntity = defineEntity({
  name: "Action",
  tableName: "action_log",
  properties: {
    user_id: owner(),
    request_id: p.string().columnType("uuid").primary(),
    token_id: p.text(),
    client_name: p.text().nullable(),
    tool: p.text(),
    /** The arguments as JSON text, as the caller sent them or cut (shared/domain/cut-arguments.ts). */
    arguments: p.text(),
    outcome: p.text(),
    replayed: p.boolean(),
    /** More than one: calls over the rate limit, which share a row per token and minute. */
    calls: p.integer(),
    called_at: timestamp(),
    duration_ms: p.double(),
  },
});

/** The key holds within a partition: a repeat of a command finds itself in the same one. */
export const InboxEntity = defineEntity({
  name: "InboxEntry",
  tableName: "inbox",
  properties: {
    user_id: owner(),
    command_id: p.string().columnType("uuid").primary(),
    /** sha256 of the command's name and validated input: one key cannot stand for two requests. */
    fingerprint: p.text(),
    /** The stored reply, as text: a replay is the same answer to the byte. */
    reply: p.text(),
    /** Whether it came with an idempotency key: kept for a day, else for minutes. */
    keyed: p.boolean(),
    /** Of a reply without a key: the time in its command's id, so that a repeat meets it in one partition. */
    created_at: timestamp(),
  },
});

export const entities = [
  UserEntity,
  CategoryEntity,
  HabitEntity,
  HabitCompletionEntity,
  TodoEntity,
  ReminderEntity,
  ReminderDeliveryEntity,
  ActionEntity,
  InboxEntity,
] as const;

export type UserRow = InferEntity<typeof UserEntity>;
export type CategoryRow = InferEntity<typeof CategoryEntity>;
export type HabitRow = InferEntity<typeof HabitEntity>;
export type HabitCompletionRow = InferEntity<typeof HabitCompletionEntity>;
export type TodoRow = InferEntity<typeof TodoEntity>;
export type ReminderRow = InferEntity<typeof ReminderEntity>;
export type ReminderDeliveryRow = InferEntity<typeof ReminderDeliveryEntity>;
export type ActionRow = InferEntity<typeof ActionEntity>;
export type InboxRow = InferEntity<typeof InboxEntity>;
