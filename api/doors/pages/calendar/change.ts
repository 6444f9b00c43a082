import { isRefused } from "../../../../shared/errors.ts";
import { newSecret } from "../../../web/key-ring.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, PagesContext, Visit } from "../session/context.ts";
import { type SealedCookie, sealedCookie } from "../session/sealed-cookie.ts";
import { submit } from "../session/submit.ts";
import { hashOf } from "./address.ts";

/** POST /account/data/calendar: makes an address in place of any earlier one, or ends the feed. */
export async function changeFeed(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const isEnd = form.get("do") === "end";
  const secret = newSecret();
  const outcome = await submit(visit, "calendar.set", { secret_hash: isEnd ? null : hashOf(secret) });
  if (isRefused(outcome)) return outcome;
  const cookie = madeCookie(visit.context);
  return seeOther("/account/data#calendar", [isEnd ? cookie.clear() : await cookie.seal({ secret })]);
}

/** Seconds for which the browser that made an address can show it again. */
const lifetimeSeconds = 10 * 60;

/** The secret of a feed that this browser has just made: only its hash is stored. */
export function madeCookie({
  config,
  keys,
}: Pick<PagesContext, "config" | "keys">): SealedCookie<{ secret: string }> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_feed", key: keys.feed, lifetimeSeconds, secure });
}
