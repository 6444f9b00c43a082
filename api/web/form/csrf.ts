import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "../key-ring.ts";

const lifetimeMs = 12 * 60 * 60 * 1000;

/**
 * A token for a form that only this browser (or session) can send back, within 12 hours.
 * @param owner whose page it is: a mark of them, which outlives the session, is added
 */
export function csrfToken([key]: KeyRing<string>, holder: string, owner?: string): string {
  const token = Bun.CSRF.generate(`${key}.${holder}`, { expiresIn: lifetimeMs, encoding: "base64url" });
  return owner === undefined ? token : `${token}.${ownerMark(key, owner)}`;
}

/** Whether `token` was made by `csrfToken` for the same holder and has not expired. */
export function csrfHolds(keys: KeyRing<string>, holder: string, token: string): boolean {
  const [own = ""] = token.split(".");
  const verify = (secret: string) =>
    Bun.CSRF.verify(own, { secret, maxAge: lifetimeMs, encoding: "base64url" });
  return own !== "" && keys.some((key) => verify(`${key}.${holder}`));
}

/** Whether a token, however old, was made for a page of this person. It says what they sent, not that they mean it now. */
export function isOwnersToken(keys: KeyRing<string>, owner: string, token: string): boolean {
  const given = Buffer.from(token.split(".")[1] ?? "");
  const marks = keys.map((key) => Buffer.from(ownerMark(key, owner)));
  return marks.some((own) => own.length === given.length && timingSafeEqual(own, given));
}

const ownerMark = (key: string, owner: string): string =>
  createHmac("sha256", key).update(`owner ${owner}`).digest("base64url").slice(0, 22);
