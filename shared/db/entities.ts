import { type InferEntity, p } from "@mikro-orm/core";
import type { CommandName } from "../contracts/catalogue.ts";
import type { Details } from "../domain/journal/events.ts";
import { perTarget, type ReminderChannel } from "../domain/reminder/channels.ts";
import type {
  ApprovalState,
  Digest,
  Door,
  ResourceKind,
  Theme,
  WebhookDeliveryStatus,
  WebhookEvents,
  WebhookSubject,
  WeekStart,
} from "../domain/vocabulary.ts";
import {
  CategoryEntity,
  DeletionEntity,
  date,
  HabitAmountEntity,
  HabitCompletionEntity,
  HabitEntity,
  owner,
  PushSubscriptionEntity,
  ReminderDeliveryEntity,
  ReminderEntity,
  TodoEntity,
  table,
  timestamps,
  timestamptz,
  uuid,
} from "./entities/things.ts";

/** The bytes that an account kept when it was counted last. */
const AccountBytesEntity = table("account_bytes", {
  user_id: owner(),
  counted_at: timestamptz(),
  things: p.bigint("number"),
  images: p.bigint("number"),
  log: p.bigint("number"),
});

export type ByteKind = "things" | "images" | "log";

/** One row for each tool call and each change, keyed by its request id: a redelivered batch cannot log one twice. */
export const ActionEntity = table("action_log", {
  user_id: owner(),
  called_at: timestamptz().primary(),
  request_id: uuid().primary(),
  door: p.text().$type<Door>(),
  /** Empty for a person on the account pages. */
  token_id: p.text(),
  client_name: p.text().nullable(),
  /** The tool, or the command's name over REST and from pages. */
  tool: p.text(),
  /** JSON text as the caller sent it, or shortened (shared/domain/action/cut-arguments.ts). */
  arguments: p.text(),
  /** `ok`, or the code of the refusal, whose sentence is the message. */
  outcome: p.text(),
  message: p.text().nullable(),
  /** The thing of the action, if there is exactly one, with its name at that time. */
  resource_kind: p.text().$type<ResourceKind>().nullable(),
  resource_id: p.bigint("number").nullable(),
  resource_name: p.text().nullable(),
  /** The other things that it changed, such as `todo/5`. */
  others: p.array().columnType("text[]").nullable(),
  /** JSON text of `Images` (shared/domain/action/images.ts), or a cut of it. */
  before: p.text().nullable(),
  after: p.text().nullable(),
  /** The request id of the action that undid this one. */
  undone_by: uuid().nullable(),
  replayed: p.boolean(),
  /** Greater than one only for calls over the rate limit, which share a row per token and minute. */
  calls: p.integer(),
  duration_ms: p.double().$type<number>(),
});

export type ActionRow = InferEntity<typeof ActionEntity>;

/** Whole images that are too long for the action's own row. */
const ActionImagesEntity = table("action_images", {
  user_id: owner(),
  called_at: timestamptz().primary(),
  request_id: uuid().primary(),
  before: p.text(),
  after: p.text(),
});

export type ActionImagesRow = InferEntity<typeof ActionImagesEntity>;

/** The rules of a token that its person set, and the changes that it made on its last day. */
const TokenRuleEntity = table("token_rules", {
  user_id: owner(),
  token_id: p.text().primary(),
  asks_deletions: p.boolean(),
  /** A request that changes more things than this waits for approval; 0 for every change. */
  ask_above: p.integer().nullable(),
  changes_per_day: p.integer().nullable(),
  deletions_per_day: p.integer().nullable(),
  /** The only category whose things it may change. */
  category_id: p.bigint("number").nullable(),
  /** The user's day to which both counts belong. */
  used_on: date().nullable(),
  changes_used: p.integer(),
  deletions_used: p.integer(),
  ...timestamps,
});

export type TokenRuleRow = InferEntity<typeof TokenRuleEntity>;

/** A request of a token that waits, or waited, for its person. */
const ApprovalEntity = table("approvals", {
  user_id: owner(),
  /** The id of the command, or of the first operation of a group. */
  id: uuid().primary(),
  token_id: p.text(),
  client_name: p.text().nullable(),
  /** `waiting` also after it expired. */
  state: p.text().$type<ApprovalState>(),
  /** JSON text of the request (workers/handlers/approval.ts); empty once it has ended. */
  request: p.text(),
  /** JSON text of `Images`: what it would change, as it was when it was asked for. */
  before: p.text(),
  after: p.text(),
  /** Its acts whose changes have no images, in words. */
  acts: p.array().columnType("text[]"),
  /** A hash of the rows that it would change, as they were. */
  rests_on: p.text(),
  /** JSON text of the answer, once it is carried out. */
  outcome: p.text().nullable(),
  expires_at: timestamptz(),
  decided_at: timestamptz().nullable(),
  created_at: timestamptz(),
});

export type ApprovalRow = InferEntity<typeof ApprovalEntity>;

const CalendarFeedEntity = table("calendar_feeds", {
  user_id: owner(),
  /** sha256 of the secret, in base64url. */
  secret_hash: p.text(),
  created_at: timestamptz(),
});

/** A checked part of a file that waits for its person's confirmation. */
const ImportPartEntity = table("import_parts", {
  user_id: owner(),
  part: p.integer().primary(),
  /** The file of the part; a file that is chosen later replaces it. */
  import_id: uuid(),
  kind: p.text().$type<"categories" | "habits" | "histories" | "todos">(),
  keys: p.array().columnType("text[]"),
  /** JSON text: the things in the form of the contract of `import.stage`. */
  content: p.text(),
  created_at: timestamptz(),
});

/** The thing here that was made from a thing of a file. */
const ImportKeyEntity = table("import_keys", {
  user_id: owner(),
  key: p.text().primary(),
  /** One of `deletionKinds`. */
  kind: p.smallint(),
  id: p.bigint("number"),
  created_at: timestamptz(),
});

export type ImportPartRow = InferEntity<typeof ImportPartEntity>;
export type ImportKeyRow = InferEntity<typeof ImportKeyEntity>;

/** Partitioned by `created_at`, so the key is unique within a partition only; a repeat lands in the same one. */
const InboxEntity = table("inbox", {
  user_id: owner(),
  command_id: uuid().primary(),
  /** sha256 of the command's name and validated input, so that one key cannot be used for two requests. */
  fingerprint: p.text(),
  /** Stored as text, so that a replay is the same answer to the byte. */
  reply: p.text(),
  /** Replies to commands with an idempotency key are stored for a day, others for minutes. */
  keyed: p.boolean(),
  /** The time in the command's id when there is no idempotency key, so that a repeat lands in the same partition. */
  created_at: timestamptz(),
});

/** One event of an account. Rows are written by `journal_append` alone, and no process may change them. */
const JournalEntity = table("journal", {
  user_id: owner(),
  number: p.bigint("number").primary(),
  at: timestamptz(),
  kind: p.text(),
  details: p.json().$type<Details>(),
});

const UserEntity = table("users", {
  user_id: owner(),
  time_zone: p.text(),
  /** `chosen` on the settings page, or `claim`: taken from the token's `zoneinfo`. */
  zone_source: p.text().$type<"chosen" | "claim">(),
  /** The time of issue of the claiming token; an older token never overrides a newer one. */
  zone_claimed_at: timestamptz().nullable(),
  day_start_hour: p.integer(),
  /** The order of dates, the clock and the first day of the week of the last sign-in's browser; null means the usual. */
  locale: p.text().nullable(),
  theme: p.text().$type<Theme>(),
  week_start: p.text().$type<WeekStart>(),
  reminder_channel: p.text().$type<ReminderChannel>(),
  digest: p.text().$type<Digest>(),
  /** The time of the next digest; it follows from the choice and the zone. */
  digest_at: timestamptz().nullable(),
  /** The identity provider has verified the address. */
  ...perTarget(() => p.text().nullable()),
  webhook_secret: p.text().nullable(),
  /** Failed attempts in a row, and the time of the first: a webhook that fails for a day is switched off. */
  webhook_failures: p.integer(),
  webhook_failing_since: timestamptz().nullable(),
  webhook_disabled_at: timestamptz().nullable(),
  /** The delivery made by the last press of a test button, whatever the channel. */
  webhook_test_id: uuid().nullable(),
  /** Every session of the account pages has the generation of its sign-in. Raising this number ends all of them. */
  session_generation: p.integer(),
  /** The newest action that the person has seen on Activity, in this visit and before it, and when they last looked. */
  seen_newest: timestamptz().nullable(),
  seen_before: timestamptz().nullable(),
  seen_at: timestamptz().nullable(),
  ...timestamps,
});

export type UserRow = InferEntity<typeof UserEntity>;

/** An address to which a user's changes are posted. */
const WebhookEntity = table("webhooks", {
  user_id: owner(),
  id: uuid().primary(),
  url: p.text(),
  secret: p.text(),
  events: p.array().$type<WebhookEvents[]>(),
  /** The token that chose the address; null for the person. */
  made_by: p.text().nullable(),
  is_active: p.boolean(),
  /** The first failed attempt since the last success. */
  failing_since: timestamptz().nullable(),
  /** Set when it was switched off because its receiver failed for days or wants no more. */
  disabled_at: timestamptz().nullable(),
  ...timestamps,
});

/** A post that was tried or is asked for. */
const WebhookDeliveryEntity = table("webhook_deliveries", {
  user_id: owner(),
  /** Receivers get it as `webhook-id`. */
  id: uuid().primary(),
  webhook_id: uuid(),
  subject: p.text().$type<WebhookSubject>(),
  thing_id: p.bigint("number"),
  status: p.text().$type<WebhookDeliveryStatus>(),
  attempts: p.integer(),
  error: p.text().nullable(),
  next_attempt_at: timestamptz(),
  created_at: timestamptz(),
  finished_at: timestamptz().nullable(),
});

export type WebhookRow = InferEntity<typeof WebhookEntity>;
export type WebhookDeliveryRow = InferEntity<typeof WebhookDeliveryEntity>;

/** Long work that a command began and workers carry out in steps; each step is one transaction with its progress. */
const WorkEntity = table("works", {
  user_id: owner(),
  id: uuid().primary(),
  /** The command whose handler has the steps. */
  name: p.text().$type<CommandName>(),
  /** JSON text. */
  input: p.text(),
  /** The place at which the next step begins; the work chooses its form. */
  cursor: p.text().nullable(),
  done: p.integer(),
  total: p.integer(),
  /** The failed attempts at the next step. */
  tries: p.integer().default(0),
  /** JSON text: an answer or a refusal, once the work has ended. */
  outcome: p.text().nullable(),
  created_at: timestamptz(),
  ended_at: timestamptz().nullable(),
});

export type WorkRow = InferEntity<typeof WorkEntity>;

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

export type TableRows = { [Entity in (typeof entities)[number] as Entity["tableName"]]: InferEntity<Entity> };

export type {
  AccountMessage,
  CategoryRow,
  DeletionRow,
  HabitAmountRow,
  HabitCompletionRow,
  HabitRow,
  PushSubscriptionRow,
  ReminderDeliveryRow,
  ReminderRow,
  TodoRow,
} from "./entities/things.ts";
