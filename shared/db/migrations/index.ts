import { Tables } from "./20261120-tables.ts";
import { Identity } from "./20261121-identity.ts";
import { ReminderDeliveries } from "./20261122-reminder-deliveries.ts";
import { EmailConfirmations } from "./20261123-email-confirmations.ts";
import { Replies } from "./20261124-replies.ts";
import { IdsInOrder } from "./20261125-ids-in-order.ts";
import { Partitions } from "./20261126-partitions.ts";
import { Sessions } from "./20261127-sessions.ts";
import { TodosInOrder } from "./20261128-todos-in-order.ts";
import { LightRecords } from "./20261129-light-records.ts";
import { LogMoved } from "./20261129-log-moved.ts";
import { LongHistories } from "./20261130-long-histories.ts";
import { SignInLinks } from "./20261130-sign-in-links.ts";
import { TodosWithCategory } from "./20261201-todos-with-category.ts";
import { Changes } from "./20261202-changes.ts";
import { ActionImages } from "./20261203-action-images.ts";
import { DeletionsById } from "./20261204-deletions-by-id.ts";
import { Passkeys } from "./20261205-passkeys.ts";
import { PasswordResets } from "./20261205-password-resets.ts";
import { SessionBrowsers } from "./20261205-session-browsers.ts";
import { Deliveries } from "./20261206-deliveries.ts";
import { PersonalTokens } from "./20261206-personal-tokens.ts";
import { CalendarFeeds } from "./20261207-calendar-feeds.ts";
import { Imports } from "./20261207-imports.ts";
import { ImportPartsByTime } from "./20261208-import-parts-by-time.ts";
import { EarlierSessions } from "./20261209-session-browsers.ts";
import { Works } from "./20261210-works.ts";
import { PartitionsAroundNow } from "./20261212-partitions-around-now.ts";
import { ByteLedger } from "./20261213-byte-ledger.ts";
import { Contexts } from "./20261215-contexts.ts";
import { KeptWithTheirThings } from "./20261216-kept-with-their-things.ts";
import { DueTime } from "./20261218-due-time.ts";
import { HabitReminders } from "./20261219-habit-reminders.ts";
import { Channels } from "./20261220-channels.ts";
import { PauseSkip } from "./20261221-pause-skip.ts";
import { Amounts } from "./20261222-amounts.ts";
import { Authors } from "./20261223-authors.ts";
import { Important } from "./20261224-important.ts";
import { Locale } from "./20261225-locale.ts";
import { Approvals } from "./20261226-approvals.ts";
import { Digest } from "./20261227-digest.ts";
import { Webhooks } from "./20261228-webhooks.ts";
import { NarrowRoles } from "./20261229-narrow-roles.ts";
import { Journal } from "./20261230-journal.ts";
import { RowSecurity } from "./20261231-row-security.ts";
import { HabitHistory } from "./20270101-habit-history.ts";

/**
 * All migrations in the order they run. One that has landed keeps its name and effect. What touches a large table is an
 * OnlineMigration; any other is one short transaction.
 */
export const migrations = [
  { name: "20261120-tables", class: Tables },
  { name: "20261121-identity", class: Identity },
  { name: "20261122-reminder-deliveries", class: ReminderDeliveries },
  { name: "20261123-email-confirmations", class: EmailConfirmations },
  { name: "20261124-replies", class: Replies },
  { name: "20261125-ids-in-order", class: IdsInOrder },
  { name: "20261126-partitions", class: Partitions },
  { name: "20261127-sessions", class: Sessions },
  { name: "20261128-todos-in-order", class: TodosInOrder },
  { name: "20261129-light-records", class: LightRecords },
  { name: "20261129-log-moved", class: LogMoved },
  { name: "20261130-sign-in-links", class: SignInLinks },
  { name: "20261130-long-histories", class: LongHistories },
  { name: "20261201-todos-with-category", class: TodosWithCategory },
  { name: "20261202-changes", class: Changes },
  { name: "20261203-action-images", class: ActionImages },
  { name: "20261204-deletions-by-id", class: DeletionsById },
  { name: "20261205-password-resets", class: PasswordResets },
  { name: "20261205-session-browsers", class: SessionBrowsers },
  { name: "20261205-passkeys", class: Passkeys },
  { name: "20261206-personal-tokens", class: PersonalTokens },
  { name: "20261206-deliveries", class: Deliveries },
  { name: "20261207-calendar-feeds", class: CalendarFeeds },
  { name: "20261207-imports", class: Imports },
  { name: "20261208-import-parts-by-time", class: ImportPartsByTime },
  { name: "20261209-session-browsers", class: EarlierSessions },
  { name: "20261212-partitions-around-now", class: PartitionsAroundNow },
  { name: "20261215-contexts", class: Contexts },
  { name: "20261213-byte-ledger", class: ByteLedger },
  { name: "20261210-works", class: Works },
  { name: "20261216-kept-with-their-things", class: KeptWithTheirThings },
  { name: "20261218-due-time", class: DueTime },
  { name: "20261219-habit-reminders", class: HabitReminders },
  { name: "20261220-channels", class: Channels },
  { name: "20261221-pause-skip", class: PauseSkip },
  { name: "20261222-amounts", class: Amounts },
  { name: "20261223-authors", class: Authors },
  { name: "20261224-important", class: Important },
  { name: "20261225-locale", class: Locale },
  { name: "20261226-approvals", class: Approvals },
  { name: "20261227-digest", class: Digest },
  { name: "20261228-webhooks", class: Webhooks },
  { name: "20261229-narrow-roles", class: NarrowRoles },
  { name: "20261230-journal", class: Journal },
  { name: "20261231-row-security", class: RowSecurity },
  { name: "20270101-habit-history", class: HabitHistory },
];

/**
 * A release that knows this migration may run beside the newest schema; older ones refuse to. It moves on with each
 * migration that takes away what earlier releases use, or stores what they would misread.
 */
export const neighboursKnow = "20270101-habit-history";
