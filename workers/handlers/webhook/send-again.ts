import { presentDelivery } from "../../../shared/db/present-webhook.ts";
import { alreadySo, notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";

export const webhookSendAgain: Handler<"webhook.send-again"> = {
  rows: ({ webhook_id, delivery_id }) => [
    forUpdate("webhooks", webhook_id),
    forUpdate("webhook_deliveries", delivery_id),
  ],
  current({ webhookDeliveries }, { delivery_id }) {
    const row = webhookDeliveries.get(delivery_id);
    return row ? presentDelivery(row) : null;
  },
  run({ webhooks, webhookDeliveries, now }, { webhook_id, delivery_id }) {
    const row = webhookDeliveries.get(delivery_id);
    if (!webhooks.get(webhook_id) || row?.webhook_id !== webhook_id) return notFound("Delivery");
    if (row.finished_at == null) return alreadySo("This delivery is still under way.");
    const again = {
      status: "waiting",
      attempts: 0,
      error: null,
      next_attempt_at: now,
      finished_at: null,
    } as const;
    return presentDelivery(webhookDeliveries.update(row, again));
  },
};
