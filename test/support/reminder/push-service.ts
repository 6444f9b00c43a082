import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { decodeJwt, importJWK, jwtVerify } from "jose";
import { selfSigned } from "../servers/self-signed.ts";
import { startInbox, type Taken } from "./inbox.ts";

const bytes = (text: string) => Buffer.from(text, "base64url");

/** A push service over TLS, and browsers that decrypt its messages. */
export async function startPushService() {
  const tls = await selfSigned();
  const inbox = startInbox(tls);
  return {
    ...inbox,
    ca: tls.cert,
    newBrowser: () => newBrowser(`${inbox.url}/${crypto.randomUUID()}`, inbox.taken),
  };
}

export type PushBrowser = ReturnType<typeof newBrowser>;

function newBrowser(endpoint: string, taken: readonly Taken[]) {
  const keys = createECDH("prime256v1");
  keys.generateKeys();
  const auth = randomBytes(16);
  const opened = new Map<Taken, Shown>();
  const own = () => taken.filter(({ path }) => endpoint.endsWith(path));
  return {
    endpoint,
    p256dh: keys.getPublicKey("base64url"),
    auth: auth.toString("base64url"),
    /** The requests for this browser. */
    requests: own,
    /** The messages that the browser shows, decrypted with its own keys. */
    shown: () =>
      own().map((request) => {
        if (!opened.has(request)) opened.set(request, JSON.parse(decrypt(request.body, { keys, auth })));
        return opened.get(request);
      }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages whose shape is what they assert
type Shown = any;
type Keys = Readonly<{ keys: ReturnType<typeof createECDH>; auth: Buffer }>;

/** Decrypts `aes128gcm` (RFC 8188) with the keys of RFC 8291, as a browser does. */
function decrypt(body: Buffer, { keys, auth }: Keys): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const shared = keys.computeSecret(sender);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender]);
  const secret = new Uint8Array(hkdfSync("sha256", shared, auth, info, 32));
  const derive = (purpose: string, length: number) =>
    new Uint8Array(hkdfSync("sha256", secret, salt, `Content-Encoding: ${purpose}\0`, length));
  const sealed = body.subarray(21 + idLength);
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

/**
 * Checks the signature of the service (VAPID).
 * @returns its claims
 */
export async function vapidClaims({ headers }: Taken) {
  const [, token = "", key = ""] = /^vapid t=(\S+), ?k=(\S+)$/.exec(headers.authorization ?? "") ?? [];
  const point = bytes(key);
  const part = (from: number) => point.subarray(from, from + 32).toString("base64url");
  await jwtVerify(token, await importJWK({ kty: "EC", crv: "P-256", x: part(1), y: part(33) }, "ES256"));
  return { ...decodeJwt(token), key };
}
