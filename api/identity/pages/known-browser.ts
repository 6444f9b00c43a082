import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { IdentityContext } from "../accounts/context.ts";
import { cookieNames } from "./cookies.ts";

const yearMs = 365 * 24 * 60 * 60 * 1_000;
const cookie = { signed: true, httpOnly: true, sameSite: "lax", overwrite: true } as const;

/** @returns the id of this browser; undefined when the account of this e-mail address never signed in here */
export function knownBrowser(
  { config }: Pick<IdentityContext, "config">,
  ctx: Context,
  email: string,
): string | undefined {
  const [id, of] = (ctx.cookies.get(cookieNames(config).known, cookie) ?? "").split(".");
  return id && of === nameOf(email) ? id : undefined;
}

/**
 * Remembers that the account signed in here. The cookie grants no access: attempts in this browser are counted apart
 * from those of strangers (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export function rememberBrowser(
  { config }: Pick<IdentityContext, "config">,
  ctx: Context,
  email: string,
): void {
  const id = randomBytes(16).toString("base64url");
  ctx.cookies.set(cookieNames(config).known, `${id}.${nameOf(email)}`, { ...cookie, maxAge: yearMs });
}

/** Addresses are hashed, because they may have characters that cookies must not have. */
const nameOf = (email: string): string => new Bun.CryptoHasher("sha256").update(email).digest("base64url");
