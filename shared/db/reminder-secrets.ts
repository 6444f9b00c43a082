import { createECDH, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { keepSecret } from "./secrets.ts";

/** Keys for push services (VAPID, RFC 8292), in base64url. */
type PushKeys = Readonly<{ publicKey: string; privateKey: string }>;

/** Secrets that front doors and workers share. The first process that needs one makes it. */
export type ReminderSecrets = Readonly<{
  /** Keys for links in reminders: the first one signs new links. */
  linkKeys(): Promise<readonly [string, ...string[]]>;
  pushKeys(): Promise<PushKeys>;
}>;

export const openReminderSecrets = (pool: Pick<Pool, "query">): ReminderSecrets => ({
  linkKeys: once(() => keepSecret(pool, "reminder-links", newLinkKeys)),
  pushKeys: once(() => keepSecret(pool, "push", newPushKeys)),
});

const newLinkKeys = async (): Promise<[string]> => [randomBytes(32).toString("base64url")];

async function newPushKeys(): Promise<PushKeys> {
  const curve = createECDH("prime256v1");
  curve.generateKeys();
  // A private key may begin with zeros, which some formats omit.
  const privateKey = Buffer.from(curve.getPrivateKey("hex").padStart(64, "0"), "hex").toString("base64url");
  return { publicKey: curve.getPublicKey("base64url"), privateKey };
}

/** Reads a value at its first use, and forgets a failure. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read().catch((error) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
