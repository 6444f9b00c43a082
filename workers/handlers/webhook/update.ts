import { presentWebhook } from "../../../shared/db/present-webhook.ts";
import { notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";

/** Switching it on forgets that it failed. What changed meanwhile is posted then. */
export const webhookUpdate: Handler<"webhook.update"> = {
  rows: ({ webhook_id }) => [forUpdate("webhooks", webhook_id)],
  current({ webhooks }, { webhook_id }) {
    const row = webhooks.get(webhook_id);
    return row ? presentWebhook(row) : null;
  },
  run({ webhooks, now }, { webhook_id, ...chosen }) {
    const row = webhooks.get(webhook_id);
    if (!row) return notFound("Webhook");
    const healed = chosen.is_active ? { failing_since: null, disabled_at: null } : {};
    return presentWebhook(webhooks.update(row, { ...patch(chosen), ...healed, updated_at: now }));
  },
};
