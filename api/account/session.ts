import type { Account } from "./account.ts";
import { type SealedCookie, sealedCookie } from "./sealed-cookie.ts";

const lifetimeSeconds = 12 * 60 * 60;

/** Who is signed in. After 12 hours the provider is asked again, which a person does not notice. */
export type Session = {
  /** The user: the `sub` of the ID token. */
  sub: string;
  /** This sign-in; what form tokens are bound to. */
  sid: string;
  email?: string;
  email_verified?: boolean;
};

export function sessionCookie({ config, keys }: Pick<Account, "config" | "keys">): SealedCookie<Session> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_account", key: keys.session, lifetimeSeconds, secure });
}
