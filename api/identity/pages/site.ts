import type { Site } from "../../web/site.ts";
import type { IdentityContext } from "../accounts/context.ts";

export const tokensPath = "/profile/api-tokens";

/** The facts of the provider's pages that messages need. */
export const messageSite = { home: "/account", formTargets: [] };

/** The provider's pages as a site of the page kit. A sign-in may lead to any page, and without a destination to Today. */
export function siteOf({ config, keys }: Pick<IdentityContext, "config" | "keys">): Site {
  const { origin } = new URL(config.baseUrl);
  return { ...messageSite, origin, formKeys: keys.forms, afterSignIn: "/account", root: "" };
}
