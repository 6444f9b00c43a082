import { createHmac, timingSafeEqual } from "node:crypto";
import type { IdentityKeys } from "../accounts/keys.ts";

/** The page behind the link in a message about an event. */
export const notMePath = "/not-me";

/** Days in which the link of a message works. */
export const noticeDays = 7;

type Keys = Pick<IdentityKeys, "forms">;

const bytesOfMac = 16;

const macOf = (key: string, id: Buffer): Buffer =>
  createHmac("sha256", `${key}.notice`).update(id).digest().subarray(0, bytesOfMac);

/** The token of a message is signed instead of stored, so a message that is sent again has the same. */
export function tokenOfNotice({ forms: [key] }: Keys, id: string): string {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([bytes, macOf(key, bytes)]).toString("base64url");
}

/** @returns the id of the message; undefined when Kept did not sign the token */
export function noticeIdIn({ forms }: Keys, token: string): string | undefined {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [id, mac] = [bytes.subarray(0, -bytesOfMac), bytes.subarray(-bytesOfMac)];
  return forms.some((key) => timingSafeEqual(macOf(key, id), mac)) ? id.toString("hex") : undefined;
}
