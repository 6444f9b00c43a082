import { createPublicKey } from "node:crypto";
import { Type } from "typebox";
import Format from "typebox/format";
import { mayBePublic } from "../../domain/public-address.ts";
import { command } from "../kernel/contract.ts";

Format.Set("push-endpoint", isPushEndpoint);
Format.Set("push-key", isPushKey);
Format.Set("push-secret", (text) => /^[\w-]{22}$/.test(text));

/** Only the account pages use this and the next command, so they have neither scope nor route. */
export const subscribePush = command({
  name: "push.subscribe",
  apart: true,
  scopes: [],
  summary: "Show reminders in one more browser",
  input: Type.Object({
    endpoint: Type.String({
      format: "push-endpoint",
      maxLength: 2_000,
      expects: "the https address of a push service",
    }),
    p256dh: Type.String({ format: "push-key", expects: "a public key of P-256 in base64url" }),
    auth: Type.String({ format: "push-secret", expects: "16 bytes in base64url" }),
    browser: Type.String({ maxLength: 100, expects: "the name of a browser" }),
  }),
  output: Type.Object({ id: Type.String() }),
  events: ({ browser }) => [{ kind: "channel_changed", details: { fields: `${browser} shows reminders` } }],
});

export const unsubscribePush = command({
  name: "push.unsubscribe",
  apart: true,
  scopes: [],
  summary: "Show reminders no longer in one of the browsers",
  input: Type.Object({ id: Type.String({ format: "uuid" }) }),
  output: Type.Null(),
  events: () => [{ kind: "channel_changed", details: { fields: "a browser shows no more reminders" } }],
});

/** Workers refuse this machine, too, unless a setting allows it. */
function isPushEndpoint(text: string): boolean {
  const url = /\p{Cc}/u.test(text) ? null : URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && mayBePublic(url.hostname, true);
}

/** True for a point on the curve, in the uncompressed form of 65 bytes. */
function isPushKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (!/^[\w-]{87}$/.test(text) || bytes[0] !== 4) return false;
  const part = (from: number) => bytes.subarray(from, from + 32).toString("base64url");
  try {
    const key = { kty: "EC", crv: "P-256", x: part(1), y: part(33) };
    return createPublicKey({ key, format: "jwk" }).type === "public";
  } catch {
    return false;
  }
}
