import { presentWebhook } from "../../../shared/db/present-webhook.ts";
import { maxWebhooks } from "../../../shared/domain/webhook.ts";
import { conflict } from "../../../shared/errors.ts";
import { allForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { newSigningSecret } from "../user/channels.ts";

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
