import { hkdfSync } from "node:crypto";

export type PagesKeys = Readonly<{
  /** Encrypts the session cookie. */
  session: Uint8Array;
  /** Encrypts the cookie of a sign-in that is under way at the provider. */
  signIn: Uint8Array;
  /** Encrypts the cookie of what this browser has shown of the list of actions. */
  seen: Uint8Array;
  /** Encrypts the cookie of a calendar feed that was just made. */
  feed: Uint8Array;
  /** Encrypts the cookie with a form that was sent by somebody who was signed out. */
  sent: Uint8Array;
  /** Signs the tokens inside forms. */
  forms: string;
}>;

/**
 * Derives the keys from the client's secret (HKDF, RFC 5869), so that all front doors have the same ones without
 * sharing anything else. A new secret signs everybody out.
 */
export function deriveKeys(clientSecret: string): PagesKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", clientSecret, "kept account pages", purpose, 32));
  return {
    session: derive("session"),
    signIn: derive("sign-in"),
    seen: derive("seen"),
    feed: derive("feed"),
    sent: derive("sent"),
    forms: derive("forms").toBase64({ alphabet: "base64url" }),
  };
}
