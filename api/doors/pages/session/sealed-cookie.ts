import { hkdfSync } from "node:crypto";
import type { JWTPayload } from "jose";
import type { Pool } from "pg";
import { readSecret } from "../../../../shared/db/shared-secrets.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { type KeyRing, mapKeys, seal, unseal } from "../../../web/key-ring.ts";

/** A cookie that nobody else can read, change or extend. */
type SealedCookie<Content extends JWTPayload> = Readonly<{
  /** The Set-Cookie header that stores the content for its lifetime. */
  seal(content: Content): Promise<string>;
  /** @returns the content; undefined without a valid cookie */
  open(request: Pick<Request, "headers">): Promise<Content | undefined>;
  /** The Set-Cookie header that removes it. */
  clear(): string;
}>;

type CookieKeys = Omit<PagesKeys, "forms">;

const names: Readonly<Record<keyof CookieKeys, string>> = {
  session: "kept_account",
  signIn: "kept_sign_in",
  feed: "kept_feed",
  sent: "kept_sent",
};

/** Makes a cookie of the account pages: for the whole host with https, else for their path only. */
export function sealedCookie<Content extends JWTPayload>(
  { config, keys }: Readonly<{ config: Pick<Config, "baseUrl">; keys: CookieKeys }>,
  purpose: keyof CookieKeys,
  lifetimeSeconds: number,
): SealedCookie<Content> {
  const key = keys[purpose];
  const secure = config.baseUrl.startsWith("https:");
  // Browsers accept this prefix only from the host itself, over https and with path / (RFC 6265bis §4.1.3.2).
  const name = `${secure ? "__Host-" : ""}${names[purpose]}`;
  const path = secure ? "/" : "/account";
  const serialize = (value: string, maxAge: number): string =>
    new Bun.Cookie({ name, value, maxAge, path, httpOnly: true, sameSite: "lax", secure }).serialize();

  return {
    seal: async (content) => serialize(await seal(content, key, lifetimeSeconds), lifetimeSeconds),
    async open(request) {
      const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(name);
      return value ? unseal<Content>(value, key) : undefined;
    },
    clear: () => serialize("", 0),
  };
}

export type PagesKeys = Readonly<{
  /** These encrypt the session cookie. */
  session: KeyRing<Uint8Array>;
  /** These encrypt the cookie of a sign-in that is under way at the provider. */
  signIn: KeyRing<Uint8Array>;
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
    feed: derive("feed"),
    sent: derive("sent"),
    forms: mapKeys(derive("forms"), (key) => key.toBase64({ alphabet: "base64url" })),
  };
}
