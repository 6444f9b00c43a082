import { presentWebhook } from "../../../shared/db/present-webhook.ts";
import { notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";

export const webhookDelete: Handler<"webhook.delete"> = {
  rows: ({ webhook_id }) => [forUpdate("webhooks", webhook_id)],
  current({ webhooks }, { webhook_id }) {
    const row = webhooks.get(webhook_id);
    return row ? presentWebhook(row) : null;
  },
  run({ webhooks }, { webhook_id }) {
    if (!webhooks.get(webhook_id)) return notFound("Webhook");
    webhooks.remove(webhook_id);
    return null;
  },
  followUp: async (connection, userId, { webhook_id }) => {
    await connection.query("delete from webhook_deliveries where user_id = $1 and webhook_id = $2", [
      userId,
      webhook_id,
    ]);
  },
};
