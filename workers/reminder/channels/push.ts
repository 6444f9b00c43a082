import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { importJWK, SignJWT } from "jose";
import type { ReminderSecrets } from "../../../shared/db/shared-secrets.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Browser, LeasedDelivery } from "../lease.ts";
import { type Channel, type ChannelResult, linesOf, type Message, sendFailed } from "./channel.ts";
import { isSuccess, mayPass, openPoster } from "./post.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number) =>
  new Uint8Array(hkdfSync("sha256", secret, salt, info, length));

const recordSize = 4_096;
/** This byte ends the last record (RFC 8188 §2). */
const lastDelimiter = Buffer.of(2);

/** Encrypts a text for one browser (RFC 8291): one record of `aes128gcm`, with keys for this message alone. */
function encryptFor({ p256dh, auth }: Pick<Browser, "p256dh" | "auth">, text: string): Buffer {
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
async function vapidHeader(
  endpoint: string,
  subject: string,
  { publicKey, privateKey }: PushKeys,
): Promise<string> {
  const point = bytes(publicKey);
  const part = (from: number) => point.subarray(from, from + 32).toString("base64url");
  const key = await importJWK({ kty: "EC", crv: "P-256", d: privateKey, x: part(1), y: part(33) }, "ES256");
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(new URL(endpoint).origin)
    .setSubject(subject)
    .setExpirationTime("12h")
    .sign(key);
  return `vapid t=${token}, k=${publicKey}`;
}

type Options = Readonly<{
  config: Pick<Config, "webhookAllowLoopback" | "baseUrl" | "mailFrom">;
  pushKeys: ReminderSecrets["pushKeys"];
  /** Removes browsers whose push service knows them no more. */
  forget(userId: string, ids: readonly string[]): Promise<void>;
  /** Certificates to trust, in tests. */
  ca?: string;
}>;

/** A reminder that is a day late does not ring any more. */
const lifetimeSeconds = 24 * 60 * 60;
const longestNotes = 300;
/** Push services take 4,096 bytes; encryption adds 103. */
const mostBytes = 3_900;

/** Encrypts a message for each browser of the user (RFC 8291) and posts it to the browser's push service (RFC 8030). */
export function createPushChannel({ config, pushKeys, forget, ca }: Options): Channel {
  const { webhookAllowLoopback } = config;
  const poster = openPoster({ receiver: "The push service", allowLoopback: webhookAllowLoopback, ca });

  async function sendTo(browser: Browser, delivery: LeasedDelivery, payload: string): Promise<Outcome> {
    const headers = {
      authorization: await vapidHeader(browser.endpoint, subjectOf(config), await pushKeys()),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(lifetimeSeconds),
      urgency: "high",
      // A repeated message replaces the first one if that still waits.
      topic: delivery.id.replaceAll("-", ""),
    };
    const answer = await poster.post(browser.endpoint, headers, encryptFor(browser, payload));
    return "status" in answer ? outcomeOf(answer.status) : answer;
  }

  return {
    async send(delivery, message) {
      const { browsers, user_id } = delivery;
      if (!browsers) return sendFailed("No browser shows reminders.", true);
      const payload = payloadOf(delivery, message);
      const outcomes = await Promise.all(browsers.map((one) => sendTo(one, delivery, payload)));
      const gone = browsers.filter((_, index) => outcomes[index] === "gone");
      if (gone.length > 0)
        await forget(
          user_id,
          gone.map(({ id }) => id),
        );
      return resultOf(outcomes);
    },
    close: poster.close,
  };
}

type Outcome = ChannelResult | "gone";

function outcomeOf(status: number): Outcome {
  if (isSuccess(status)) return { ok: true };
  if (status === 404 || status === 410) return "gone";
  return sendFailed(`The push service answered ${status}.`, !mayPass(status));
}

/** One browser that took the message is enough: another attempt would show it there twice. */
function resultOf(outcomes: readonly Outcome[]): ChannelResult {
  const results = outcomes.filter((one) => one !== "gone");
  const passing = results.find((one) => !one.ok && !one.final);
  const [first = sendFailed("No browser takes reminders any more: add this one again.", true)] = results;
  return results.find(({ ok }) => ok) ?? passing ?? first;
}

/** The parts that `api/web/scripts/worker.js` shows; the least important ones are dropped if they get too long. */
function payloadOf({ id }: LeasedDelivery, message: Message): string {
  const { title, link } = message;
  const actions = message.acts.map(({ act, label, url }) => ({ action: act, title: label, url }));
  const lines = linesOf(message, longestNotes).join("\n");
  const short = linesOf({ ...message, notes: "" }).join("\n");
  const parts = [
    { title, body: lines, link, tag: id, actions },
    { title, body: short, link, tag: id, actions },
    { title, body: short, link, tag: id, actions: [] },
  ].map((one) => JSON.stringify(one));
  return (
    parts.find((text) => Buffer.byteLength(text) <= mostBytes) ?? JSON.stringify({ title: "Kept", link })
  );
}

/** The contact for push services; some refuse one on this machine. */
const subjectOf = ({ baseUrl, mailFrom }: Options["config"]): string =>
  baseUrl.startsWith("https:") ? baseUrl : `mailto:${/[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0] ?? mailFrom}`;
