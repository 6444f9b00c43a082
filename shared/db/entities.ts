import type { InferEntity } from "@mikro-orm/core";
import { AccountBytesEntity } from "./entities/account-bytes.ts";
import { ActionEntity, ActionImagesEntity } from "./entities/action.ts";
import { ApprovalEntity, TokenRuleEntity } from "./entities/approval.ts";
import { CalendarFeedEntity } from "./entities/calendar-feed.ts";
import { CategoryEntity } from "./entities/category.ts";
import { DeletionEntity } from "./entities/deletion.ts";
import { HabitAmountEntity, HabitCompletionEntity, HabitEntity } from "./entities/habit.ts";
import { ImportKeyEntity, ImportPartEntity } from "./entities/import.ts";
import { InboxEntity } from "./entities/inbox.ts";
import { JournalEntity } from "./entities/journal.ts";
import { PushSubscriptionEntity, ReminderDeliveryEntity, ReminderEntity } from "./entities/reminder.ts";
import { TodoEntity } from "./entities/todo.ts";
import { UserEntity } from "./entities/user.ts";
import { WebhookDeliveryEntity, WebhookEntity } from "./entities/webhook.ts";
import { WorkEntity } from "./entities/work.ts";

/**
 * The tables, once: handlers, queries and the unit of work take columns and types from here. Every row that
 * belongs to a user is keyed by (user_id, …).
 */
export const entities = [
  UserEntity,
  CategoryEntity,
  HabitEntity,
  HabitCompletionEntity,
  HabitAmountEntity,
  TodoEntity,
  ReminderEntity,
  ReminderDeliveryEntity,
  PushSubscriptionEntity,
  DeletionEntity,
  ActionEntity,
  ActionImagesEntity,
  InboxEntity,
  ImportPartEntity,
  ImportKeyEntity,
  CalendarFeedEntity,
  TokenRuleEntity,
  ApprovalEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
  AccountBytesEntity,
  WorkEntity,
  JournalEntity,
] as const;

/** The row of each table, by its name. */
export type TableRows = { [Entity in (typeof entities)[number] as Entity["tableName"]]: InferEntity<Entity> };

export type { AccountBytesRow, ByteKind } from "./entities/account-bytes.ts";
export type { ActionImagesRow, ActionRow } from "./entities/action.ts";
export type { ApprovalRow, TokenRuleRow } from "./entities/approval.ts";
export type { CalendarFeedRow } from "./entities/calendar-feed.ts";
export type { CategoryRow } from "./entities/category.ts";
export type { DeletionRow } from "./entities/deletion.ts";
export type { HabitAmountRow, HabitCompletionRow, HabitRow } from "./entities/habit.ts";
export type { ImportKeyRow, ImportPartRow } from "./entities/import.ts";
export type { InboxRow } from "./entities/inbox.ts";
export type { JournalRow } from "./entities/journal.ts";
export type {
  AccountMessage,
  PushSubscriptionRow,
  ReminderDeliveryRow,
  ReminderRow,
} from "./entities/reminder.ts";
export type { TodoRow } from "./entities/todo.ts";
export type { UserRow } from "./entities/user.ts";
export type { WebhookDeliveryRow, WebhookRow } from "./entities/webhook.ts";
export type { WorkRow } from "./entities/work.ts";
