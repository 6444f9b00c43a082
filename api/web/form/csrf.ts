import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "../key-ring.ts";

const lifetimeMs = 12 * 60 * 60 * 1000;

/**
 * A token for a form that only this browser (or session) can send back, within 12 hours.
 * @param owner the person of the page; their mark is added, which outlives the session
 */
export function csrfToken([key]: KeyRing<string>, holder: string, owner?: string): string {
  const token = Bun.CSRF.generate(`${key}.${holder}`, { expiresIn: lifetimeMs, encoding: "base64url" });
  return owner === undefined ? token : `${token}.${ownerMark(key, owner)}`;
}

/** True if `csrfToken` made the token for the same holder and it has not expired. */
export function csrfHolds(keys: KeyRing<string>, holder: string, token: string): boolean {
  const [own = ""] = token.split(".");
  const verify = (secret: string) =>
    Bun.CSRF.verify(own, { secret, maxAge: lifetimeMs, encoding: "base64url" });
  return own !== "" && keys.some((key) => verify(`${key}.${holder}`));
}

/**
 * True if a token of any age was made for a page of this person. It proves who sent a form, not that they mean it now.
 */
export function isOwnersToken(keys: KeyRing<string>, owner: string, token: string): boolean {
  const given = Buffer.from(token.split(".")[1] ?? "");
  const marks = keys.map((key) => Buffer.from(ownerMark(key, owner)));
  return marks.some((own) => own.length === given.length && timingSafeEqual(own, given));
}

const ownerMark = (key: string, owner: string): string =>
  createHmac("sha256", key).update(`owner ${owner}`).digest("base64url").slice(0, 22);
