import { createHmac, timingSafeEqual } from "node:crypto";
import type { Pool } from "pg";
import { readSecret } from "../db/shared-secrets.ts";

/** Signs the messages that front doors and workers send each other over Redis, which never sees the keys. */
export type Signer = Readonly<{
  sign(body: object): object;
  /** @returns the body of a message; undefined if none of the keys signed it */
  verify(message: unknown): object | undefined;
}>;

/** Opens a signer with the keys that all processes share. The first one signs, and each is accepted. */
export const openSigner = async (pool: Pick<Pool, "query">): Promise<Signer> =>
  createSigner(await readSecret(pool, "queue"));

export const createSigner = (keys: readonly string[]): Signer => ({
  sign: (body) => ({ ...body, signature: digestOf(JSON.stringify(body), keys[0]).toString("base64url") }),
  verify(message) {
    // JSON keeps the order of members, so the parsed body has the signed text again.
    const { signature, ...body } = Object(message);
    const [text, given] = [JSON.stringify(body), Buffer.from(String(signature), "base64url")];
    const isGiven = (key: string) => given.length === 32 && timingSafeEqual(digestOf(text, key), given);
    return keys.some(isGiven) ? body : undefined;
  },
});

const digestOf = (text: string, key = ""): Buffer => createHmac("sha256", key).update(text).digest();
