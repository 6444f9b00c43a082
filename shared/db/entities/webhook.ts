import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { WebhookDeliveryStatus, WebhookEvents, WebhookSubject } from "../../domain/webhook.ts";
import { owner, timestamps, timestamptz } from "./columns.ts";

/** An address to which a user's changes are posted. */
export const WebhookEntity = defineEntity({
  name: "Webhook",
  tableName: "webhooks",
  properties: {
    user_id: owner(),
    id: p.string().columnType("uuid").primary(),
    url: p.text(),
    secret: p.text(),
    events: p.array().$type<WebhookEvents[]>(),
    is_active: p.boolean(),
    /** The first failed attempt since the last success. */
    failing_since: timestamptz().nullable(),
    /** Set when it was switched off because it failed for days. */
    disabled_at: timestamptz().nullable(),
    ...timestamps,
  },
});

/** One thing to post about. A newer change of the thing takes the place of one that waits, under another id. */
export const WebhookDeliveryEntity = defineEntity({
  name: "WebhookDelivery",
  tableName: "webhook_deliveries",
  properties: {
    user_id: owner(),
    /** Receivers get it as `webhook-id`. */
    id: p.string().columnType("uuid").primary(),
    webhook_id: p.string().columnType("uuid"),
    subject: p.text().$type<WebhookSubject>(),
    thing_id: p.bigint("number"),
    status: p.text().$type<WebhookDeliveryStatus>(),
    attempts: p.integer(),
    error: p.text().nullable(),
    /** The time of the next attempt; while it is being sent, the end of its lease. */
    next_attempt_at: timestamptz(),
    created_at: timestamptz(),
    finished_at: timestamptz().nullable(),
  },
});

export type WebhookRow = InferEntity<typeof WebhookEntity>;
export type WebhookDeliveryRow = InferEntity<typeof WebhookDeliveryEntity>;
