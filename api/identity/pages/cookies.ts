import type { Config } from "../../../shared/process/config.ts";

/** The provider's cookies. With https, those of the whole site have a prefix that no subdomain can set. */
export function cookieNames({ authUrl }: Pick<Config, "authUrl">) {
  const isSecure = authUrl.startsWith("https:");
  const site = isSecure ? "__Host-" : "";
  const path = isSecure ? "__Secure-" : "";
  return {
    session: `${site}kept_session`,
    browser: `${site}kept_browser`,
    known: `${site}kept_known`,
    interaction: `${path}kept_interaction`,
    resume: `${path}kept_resume`,
    newToken: `${path}kept_new_token`,
  };
}
