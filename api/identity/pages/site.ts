import type { Site } from "../../web/site.ts";
import type { IdentityContext } from "../accounts/context.ts";

export const tokensPath = "/profile/api-tokens";

/** What messages need to know of the provider's pages. */
export const messageSite = { home: "/", formTargets: [] };

/** The provider's own pages, as the page kit sees them. A sign-in that was on the way to none of them leads to Today. */
export function siteOf({ config, keys }: Pick<IdentityContext, "config" | "keys">): Site {
  const { origin } = new URL(config.authUrl);
  const formTargets = [new URL(config.baseUrl).origin];
  return { home: "/", formTargets, origin, formKeys: keys.forms, afterSignIn: "/", root: "" };
}
