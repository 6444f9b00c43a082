import { hkdfSync } from "node:crypto";

export type PagesKeys = Readonly<{
  /** Encrypts the session cookie. */
  session: Uint8Array;
  /** Encrypts the cookie that a sign-in leaves behind while the person is at the provider. */
  signIn: Uint8Array;
  /** Signs the tokens inside forms. */
  forms: string;
}>;

/**
 * Keys from the client's secret (HKDF, RFC 5869): every front door has the same ones without sharing anything
 * more, and a new secret signs everybody out.
 */
export function deriveKeys(clientSecret: string): PagesKeys {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync("sha256", clientSecret, "kept account pages", purpose, 32));
  return {
    session: derive("session"),
    signIn: derive("sign-in"),
    forms: derive("forms").toBase64({ alphabet: "base64url" }),
  };
}
