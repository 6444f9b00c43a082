import type { Static } from "typebox";
import type { Webhook, WebhookDelivery } from "../contracts/webhook/contracts.ts";
import { timestamp } from "../domain/day/day.ts";
import type { WebhookDeliveryRow, WebhookRow } from "./entities.ts";

const instant = (at: string | null | undefined): string | null => (at == null ? null : timestamp(at));

/** Leaves the secret out. */
export const presentWebhook = (row: Omit<WebhookRow, "secret" | "user_id">): Webhook => ({
  id: row.id,
  url: row.url,
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
