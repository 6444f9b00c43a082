import { presentDelivery, presentWebhook } from "../../shared/db/present.ts";
import { eventOfSubject, maxWebhooks } from "../../shared/domain/vocabulary.ts";
import { alreadySo, conflict, notFound } from "../../shared/errors.ts";
import { allForUpdate, forUpdate } from "../unit-of-work/row-request.ts";
import { patch } from "./columns.ts";
import type { Handler, HandlerContext } from "./handler.ts";
import { newSigningSecret } from "./user.ts";

export const webhookCreate: Handler<"webhook.create"> = {
  rows: () => [allForUpdate("webhooks")],
  run({ webhooks, viewer: { reader }, now }, { url, events }) {
    if (webhooks.all().length >= maxWebhooks)
      return conflict(`An account has at most ${maxWebhooks} webhooks`, "delete one of them.");
    const made = webhooks.insert({
      id: crypto.randomUUID(),
      url,
      events,
      secret: newSigningSecret(),
      made_by: reader.tokenId || null,
      is_active: true,
      failing_since: null,
      disabled_at: null,
      created_at: now,
      updated_at: now,
    });
    return { ...presentWebhook(made, reader), secret: made.secret };
  },
};

type OneWebhook = Readonly<{ webhook_id: string }>;

const ofOne = {
  rows: ({ webhook_id }: OneWebhook) => [forUpdate("webhooks", webhook_id)],
  current({ webhooks, viewer }: HandlerContext, { webhook_id }: OneWebhook) {
    const row = webhooks.get(webhook_id);
    return row ? presentWebhook(row, viewer.reader) : null;
  },
};

/**
 * Switching it on forgets that it failed; what changed meanwhile is posted then. It is that of the token that chose its
 * address, until its person switches it on.
 */
export const webhookUpdate: Handler<"webhook.update"> = {
  ...ofOne,
  run({ webhooks, viewer: { reader }, now }, { webhook_id, ...chosen }) {
    const row = webhooks.get(webhook_id);
    if (!row) return notFound("Webhook");
    const healed = chosen.is_active ? { failing_since: null, disabled_at: null } : {};
    const isTaken = chosen.url !== undefined || (chosen.is_active === true && reader.tokenId === "");
    const made_by = isTaken ? reader.tokenId || null : row.made_by;
    const isOthers = made_by !== null && made_by !== reader.tokenId;
    // The token that chose the address may have ended, or may read less now.
    if (isOthers && chosen.is_active && !row.is_active)
      return conflict("Another token chose this webhook's address", "ask the person to switch it on.");
    const changed = { ...patch(chosen), ...healed, made_by, updated_at: now };
    return presentWebhook(webhooks.update(row, changed), reader);
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
    const webhook = webhooks.get(webhook_id);
    if (!webhook || row?.webhook_id !== webhook_id) return notFound("Delivery");
    if (row.finished_at == null) return alreadySo("This delivery is still under way.");
    if (!webhook.events.includes(eventOfSubject[row.subject]))
      return conflict("The webhook does not post such events any more", "add them to its events.");
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
