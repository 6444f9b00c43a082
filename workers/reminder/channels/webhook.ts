import { Webhook } from "standardwebhooks";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Config } from "../../../shared/process/config.ts";
import { tell } from "../about.ts";
import { isTest, type LeasedDelivery } from "../lease.ts";
import {
  type Channel,
  type ChannelResult,
  contentOf,
  type Message,
  type ReceiverAnswer,
  sendFailed,
} from "./channel.ts";
import { isSuccess, openPoster } from "./post.ts";

type Options = Pick<Config, "webhookAllowLoopback" | "defaultTimeZone">;

/**
 * Posts a signed event to the user's address (Standard Webhooks); `webhook-id` is the delivery's id. It connects to
 * public addresses only. Any 2xx is success.
 */
export function createWebhookChannel({ webhookAllowLoopback, defaultTimeZone }: Options): Channel {
  const webhooks = openWebhookPoster(webhookAllowLoopback);
  return {
    async send(delivery, message) {
      const { webhook_url, webhook_secret, webhook_disabled_at, id } = delivery;
      if (webhook_url === null || webhook_secret === null)
        return sendFailed("No webhook address is set.", true);
      if (webhook_disabled_at !== null && !isTest(delivery))
        return sendFailed("The webhook was switched off after failing for a day.", true);
      const at = new Date(timestamp(delivery.signed_at));
      const target = { url: webhook_url, secret: webhook_secret, id, at };
      return webhooks.post(target, eventOf(delivery, message, defaultTimeZone));
    },
    close: webhooks.close,
  };
}

type Target = Readonly<{ url: string; secret: string; id: string; at: Date }>;

/** Posts signed events to addresses that users chose, and to public servers alone. */
export function openWebhookPoster(allowLoopback: boolean) {
  const poster = openPoster({ receiver: "The webhook", allowLoopback });
  return {
    async post({ url, secret, id, at }: Target, event: object): Promise<ChannelResult> {
      const body = JSON.stringify(event);
      const answer = await poster.post(url, signedHeaders(id, secret, at, body), body);
      return "status" in answer ? resultOf(answer) : answer;
    },
    close: poster.close,
  };
}

function eventOf(delivery: LeasedDelivery, { notes, link, acts }: Message, defaultTimeZone: string) {
  const data = { ...contentOf(delivery, defaultTimeZone), notes, link, actions: acts };
  return { type: typeOf(delivery), timestamp: data.remind_at, data };
}

function typeOf(delivery: LeasedDelivery): string {
  if (delivery.about) return tell(delivery.about).event;
  return isTest(delivery) ? "webhook.test" : "reminder.due";
}

/** The receiver compares the signature's time with its own clock, so each attempt is signed anew. */
function signedHeaders(id: string, secret: string, at: Date, body: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Kept-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
}

function resultOf(answer: ReceiverAnswer): ChannelResult {
  const { status } = answer;
  if (isSuccess(status)) return { ok: true };
  const hint = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return { ...sendFailed(`The webhook answered ${status}${hint}.`), answer };
}
