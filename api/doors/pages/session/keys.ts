import { hkdfSync } from "node:crypto";
import type { Pool } from "pg";
import { readSecret } from "../../../../shared/db/shared-secrets.ts";
import { type KeyRing, mapKeys } from "../../../web/key-ring.ts";

export type PagesKeys = Readonly<{
  /** These encrypt the session cookie. */
  session: KeyRing<Uint8Array>;
  /** These encrypt the cookie of a sign-in that is under way at the provider. */
  signIn: KeyRing<Uint8Array>;
  /** These encrypt the cookie that remembers which parts of the list of actions this browser has shown. */
  seen: KeyRing<Uint8Array>;
  /** These encrypt the cookie of a calendar feed that was just made. */
  feed: KeyRing<Uint8Array>;
  /** These encrypt the cookie with a form that was sent after the session had ended. */
  sent: KeyRing<Uint8Array>;
  /** These sign the tokens inside forms. */
  forms: KeyRing<string>;
}>;

/** Loads the keys of all front doors: derived (HKDF, RFC 5869) from secrets of their own. */
export async function loadPagesKeys(pool: Pick<Pool, "query">): Promise<PagesKeys> {
  const secrets = await readSecret(pool, "pages");
  const derive = (purpose: string): KeyRing<Uint8Array> =>
    mapKeys(
      secrets,
      (secret) => new Uint8Array(hkdfSync("sha256", secret, "kept account pages", purpose, 32)),
    );
  return {
    session: derive("session"),
    signIn: derive("sign-in"),
    seen: derive("seen"),
    feed: derive("feed"),
    sent: derive("sent"),
    forms: mapKeys(derive("forms"), (key) => key.toBase64({ alphabet: "base64url" })),
  };
}
