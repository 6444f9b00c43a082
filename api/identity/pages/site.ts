import type { Site } from "../../web/site.ts";
import type { IdentityContext } from "../accounts/context.ts";

export const tokensPath = "/profile/api-tokens";

/** The facts of the provider's pages that messages need. */
export const messageSite = { home: "/", formTargets: [] };

/** The provider's own pages as a site of the page kit. A sign-in without a destination leads to Today. */
export function siteOf({ config, keys }: Pick<IdentityContext, "config" | "keys">): Site {
  const { origin } = new URL(config.authUrl);
  const formTargets = [new URL(config.baseUrl).origin];
  return { home: "/", formTargets, origin, formKeys: keys.forms, afterSignIn: "/", root: "" };
}
