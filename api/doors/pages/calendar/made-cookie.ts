import type { PagesContext } from "../session/context.ts";
import { type SealedCookie, sealedCookie } from "../session/sealed-cookie.ts";

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
