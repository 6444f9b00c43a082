import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { ReminderChannel } from "../../domain/reminder/channels.ts";
import type { DeliveryStatus, ReminderStatus } from "../../domain/vocabulary.ts";
import { delivery, owner, timestamps, timestamptz } from "./columns.ts";

export const ReminderEntity = defineEntity({
  name: "Reminder",
  tableName: "reminders",
  properties: {
    user_id: owner(),
    todo_id: p.bigint("number").primary(),
    remind_at: timestamptz(),
    /** Set when the time was given without an offset; the reminder then follows the user's zone. */
    wall_time: p.string().columnType("timestamp").nullable(),
    status: p.text().$type<ReminderStatus>(),
    ...delivery,
    ...timestamps,
  },
});

/** A message in words, with the address of its page. */
export type AccountMessage = Readonly<{ title: string; notes: string; url: string }>;

/** One row per reminder that fell due. Receivers get its id and can drop repeats. */
export const ReminderDeliveryEntity = defineEntity({
  name: "ReminderDelivery",
  tableName: "reminder_deliveries",
  properties: {
    user_id: owner(),
    id: p.string().columnType("uuid").primary(),
    /** A delivery without any of the next three is a test of a channel. */
    todo_id: p.bigint("number").nullable(),
    habit_id: p.bigint("number").nullable(),
    /** Set for a message that is no reminder: requests wait, agents changed things, a webhook was switched off, or `said`. */
    about: p.text().$type<"approvals" | "digest" | "webhooks" | "account">().nullable(),
    /** The message about an account. */
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
  },
});

export type ReminderRow = InferEntity<typeof ReminderEntity>;
export type ReminderDeliveryRow = InferEntity<typeof ReminderDeliveryEntity>;

/** A browser that shows a person's reminders (Web Push, RFC 8030). */
export const PushSubscriptionEntity = defineEntity({
  name: "PushSubscription",
  tableName: "push_subscriptions",
  properties: {
    user_id: owner(),
    /** Derived from the endpoint, so a browser that subscribes again keeps its row. */
    id: p.string().columnType("uuid").primary(),
    /** The address at the browser's push service. */
    endpoint: p.text(),
    /** The browser's public key and its shared secret, in base64url (RFC 8291). */
    p256dh: p.text(),
    auth: p.text(),
    /** The name of the browser, for example `Firefox on Linux`. */
    browser: p.text(),
    created_at: timestamptz(),
  },
});

export type PushSubscriptionRow = InferEntity<typeof PushSubscriptionEntity>;
