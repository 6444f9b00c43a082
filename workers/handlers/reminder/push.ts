import { createHash } from "node:crypto";
import { mostBrowsers } from "../../../shared/domain/reminder/channels.ts";
import { conflict } from "../../../shared/errors.ts";
import { allForUpdate, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { newUser } from "../user/settings.ts";

const rows = () => [settingsForUpdate, allForUpdate("push_subscriptions")];

/**
 * Adds a browser, or gives a known one its new keys. If reminders reached nobody so far, they go to browsers from
 * now on, because the person asked for them.
 */
export const pushSubscribe: Handler<"push.subscribe"> = {
  stores: "more",
  rows,
  run(context, { endpoint, ...subscription }) {
    const { users, browsers, now } = context;
    const id = idOfEndpoint(endpoint);
    const known = browsers.get(id);
    if (!known && browsers.all().length >= mostBrowsers)
      return conflict(`${mostBrowsers} browsers show reminders already`, "remove one of them first.");
    if (known) browsers.update(known, subscription);
    else browsers.insert({ id, endpoint, ...subscription, created_at: now });
    const user = users.get() ?? users.insert(newUser(context));
    if (user.reminder_channel === "log") users.update(user, { reminder_channel: "push", updated_at: now });
    return { id };
  },
};

/** Removes a browser. Without any, reminders to browsers reach nobody, and each answer says so. */
export const pushUnsubscribe: Handler<"push.unsubscribe"> = {
  idempotent: true,
  rows,
  run({ users, browsers, now }, { id }) {
    if (!browsers.get(id)) return null;
    browsers.remove(id);
    const user = users.get();
    if (user?.reminder_channel === "push" && browsers.all().length === 0)
      users.update(user, { reminder_channel: "log", updated_at: now });
    return null;
  },
};

function idOfEndpoint(endpoint: string): string {
  const hex = createHash("sha256").update(endpoint).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
