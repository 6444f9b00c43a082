import { presentDelivery, presentWebhook } from "../../shared/db/present.ts";
import { maxWebhooks } from "../../shared/domain/vocabulary.ts";
import { alreadySo, conflict, notFound } from "../../shared/errors.ts";
import { allForUpdate, forUpdate } from "../unit-of-work/row-request.ts";
import { patch } from "./columns.ts";
import type { Handler, HandlerContext } from "./handler.ts";
import { newSigningSecret } from "./user.ts";

export const webhookCreate: Handler<"webhook.create"> = {
  rows: () => [allForUpdate("webhooks")],
  run({ webhooks, now }, { url, events }) {
    if (webhooks.all().length >= maxWebhooks)
      return conflict(`An account has at most ${maxWebhooks} webhooks`, "delete one of them.");
    const made = webhooks.insert({
      id: crypto.randomUUID(),
      url,
      events,
      secret: newSigningSecret(),
      is_active: true,
      failing_since: null,
      disabled_at: null,
      created_at: now,
      updated_at: now,
    });
    return { ...presentWebhook(made), secret: made.secret };
  },
};

type OneWebhook = Readonly<{ webhook_id: string }>;

const ofOne = {
  rows: ({ webhook_id }: OneWebhook) => [forUpdate("webhooks", webhook_id)],
  current({ webhooks }: HandlerContext, { webhook_id }: OneWebhook) {
    const row = webhooks.get(webhook_id);
    return row ? presentWebhook(row) : null;
  },
};

/** Switching it on forgets that it failed. What changed meanwhile is posted then. */
export const webhookUpdate: Handler<"webhook.update"> = {
  ...ofOne,
  run({ webhooks, now }, { webhook_id, ...chosen }) {
    const row = webhooks.get(webhook_id);
    if (!row) return notFound("Webhook");
    const healed = chosen.is_active ? { failing_since: null, disabled_at: null } : {};
    return presentWebhook(webhooks.update(row, { ...patch(chosen), ...healed, updated_at: now }));
  },
};

export const webhookDelete: Handler<"webhook.delete"> = {
  ...ofOne,
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
