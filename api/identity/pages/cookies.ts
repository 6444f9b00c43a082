import type { Config } from "../../../shared/process/config.ts";

/** The id of the session that a request's cookie names. It cannot be guessed, so it needs no signature. */
export const sessionIdIn = (headers: Headers, config: Pick<Config, "authUrl">): string =>
  new Bun.CookieMap(headers.get("cookie") ?? "").get(cookieNames(config).session) ?? "";

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
