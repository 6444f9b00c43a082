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
import { LongHistories } from "./20261130-long-histories.ts";
import { SignInLinks } from "./20261130-sign-in-links.ts";
import { TodosWithCategory } from "./20261201-todos-with-category.ts";
import { Changes } from "./20261202-changes.ts";
import { ActionImages } from "./20261203-action-images.ts";
import { DeletionsById } from "./20261204-deletions-by-id.ts";
import { Passkeys } from "./20261205-passkeys.ts";
import { PasswordResets } from "./20261205-password-resets.ts";
import { SessionBrowsers } from "./20261205-session-browsers.ts";
import { CalendarFeeds } from "./20261207-calendar-feeds.ts";
import { Imports } from "./20261207-imports.ts";

/** All migrations in the order they run. A migration that has landed is never edited. */
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
  { name: "20261130-sign-in-links", class: SignInLinks },
  { name: "20261130-long-histories", class: LongHistories },
  { name: "20261201-todos-with-category", class: TodosWithCategory },
  { name: "20261202-changes", class: Changes },
  { name: "20261203-action-images", class: ActionImages },
  { name: "20261204-deletions-by-id", class: DeletionsById },
  { name: "20261205-password-resets", class: PasswordResets },
  { name: "20261205-session-browsers", class: SessionBrowsers },
  { name: "20261205-passkeys", class: Passkeys },
  { name: "20261207-calendar-feeds", class: CalendarFeeds },
  { name: "20261207-imports", class: Imports },
];
