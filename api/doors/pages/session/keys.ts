import { hkdfSync } from "node:crypto";
import { type KeyRing, mapKeys } from "../../../web/key-ring.ts";

export type PagesKeys = Readonly<{
  /** Encrypt the session cookie. */
  session: KeyRing<Uint8Array>;
  /** Encrypt the cookie of a sign-in that is under way at the provider. */
  signIn: KeyRing<Uint8Array>;
  /** Encrypt the cookie of what this browser has shown of the list of actions. */
  seen: KeyRing<Uint8Array>;
  /** Encrypt the cookie of a calendar feed that was just made. */
  feed: KeyRing<Uint8Array>;
  /** Encrypt the cookie with a form that was sent by somebody who was signed out. */
  sent: KeyRing<Uint8Array>;
  /** Sign the tokens inside forms. */
  forms: KeyRing<string>;
}>;

/**
 * Derives the keys from the client's secrets (HKDF, RFC 5869), so that all front doors have the same ones without
 * sharing anything else. What a secret that is no longer given has made is worth nothing.
 */
export function deriveKeys(...secrets: KeyRing<string>): PagesKeys {
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
