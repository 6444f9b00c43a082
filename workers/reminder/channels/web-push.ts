import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { importJWK, SignJWT } from "jose";
import type { ReminderSecrets } from "../../../shared/db/reminder-secrets.ts";
import type { Browser } from "../lease.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number) =>
  new Uint8Array(hkdfSync("sha256", secret, salt, info, length));

const recordSize = 4_096;
/** This byte ends the last record (RFC 8188 §2). */
const lastDelimiter = Buffer.of(2);

/** Encrypts a text for one browser (RFC 8291): one record of `aes128gcm`, with keys for this message alone. */
export function encryptFor({ p256dh, auth }: Pick<Browser, "p256dh" | "auth">, text: string): Buffer {
  const own = createECDH("prime256v1");
  const sender = own.generateKeys();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), bytes(p256dh), sender]);
  const secret = derive(own.computeSecret(bytes(p256dh)), bytes(auth), info, 32);
  const salt = randomBytes(16);
  const key = derive(secret, salt, "Content-Encoding: aes128gcm\0", 16);
  const nonce = derive(secret, salt, "Content-Encoding: nonce\0", 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const sealed = [cipher.update(text), cipher.update(lastDelimiter), cipher.final(), cipher.getAuthTag()];
  const lengths = Buffer.alloc(5);
  lengths.writeUInt32BE(recordSize);
  lengths.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, lengths, sender, ...sealed]);
}

type PushKeys = Awaited<ReturnType<ReminderSecrets["pushKeys"]>>;

/** The Authorization header by which the service shows itself to a push service (VAPID, RFC 8292). */
export async function vapidHeader(
  endpoint: URL,
  subject: string,
  { publicKey, privateKey }: PushKeys,
): Promise<string> {
  const point = bytes(publicKey);
  const part = (from: number) => point.subarray(from, from + 32).toString("base64url");
  const key = await importJWK({ kty: "EC", crv: "P-256", d: privateKey, x: part(1), y: part(33) }, "ES256");
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(endpoint.origin)
    .setSubject(subject)
    .setExpirationTime("12h")
    .sign(key);
  return `vapid t=${token}, k=${publicKey}`;
}
