import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** A browser that shows a person's reminders (Web Push, RFC 8030). */
export const PushSubscriptionEntity = defineEntity({
  name: "PushSubscription",
  tableName: "push_subscriptions",
  properties: {
    user_id: owner(),
    /** Derived from the endpoint, so a browser that subscribes again keeps its row. */
    id: p.string().columnType("uuid").primary(),
    /** The address at the browser's push service. */
    endpoint: p.text(),
    /** The browser's public key and its shared secret, in base64url (RFC 8291). */
    p256dh: p.text(),
    auth: p.text(),
    /** The name of the browser, for example `Firefox on Linux`. */
    browser: p.text(),
    created_at: timestamptz(),
  },
});

export type PushSubscriptionRow = InferEntity<typeof PushSubscriptionEntity>;
