import { isIPv6 } from "node:net";
import type { Pool } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Account } from "./accounts.ts";

const MINUTE = 60;

/** Limits against guessing and flooding, kept in Postgres so that they hold over restarts and processes. */
export type Throttle = Readonly<{
  /** Counts an attempt at a password: 10 for one account and 50 from one address in 15 minutes. */
  password(email: string, address: string): Promise<number>;
  /** A right password clears the account's count. */
  passwordWasRight(email: string): Promise<void>;
  /** Counts a new account: 30 from one address in an hour. */
  signUp(address: string): Promise<number>;
  /** Counts a mail: 5 asked for by one account and 5 to one e-mail address in an hour. */
  mail(account: Pick<Account, "id" | "email">): Promise<number>;
  /** Counts the registration of an app: 60 from one address in an hour. */
  registration(address: string): Promise<number>;
}>;

/** Every limit answers with the seconds to wait: 0 when the attempt may go on. */
export function createThrottle(pool: Pool): Throttle {
  const limit = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterPostgres({
      storeClient: pool,
      storeType: "pool",
      schemaName: "identity",
      tableName: "throttle",
      tableCreated: true,
      keyPrefix,
      points,
      duration,
    });
  const perAccount = limit("account", 10, 15 * MINUTE);
  const perAddress = limit("address", 50, 15 * MINUTE);
  const signUps = limit("sign-up", 30, 60 * MINUTE);
  const mailsOfAccount = limit("mail-of", 5, 60 * MINUTE);
  const mailsToAddress = limit("mail-to", 5, 60 * MINUTE);
  const registrations = limit("registration", 60, 60 * MINUTE);
  return {
    password: async (email, address) =>
      Math.max(await take(perAccount, keyOf(email)), await take(perAddress, networkOf(address))),
    passwordWasRight: async (email) => {
      await perAccount.delete(keyOf(email));
    },
    signUp: (address) => take(signUps, networkOf(address)),
    mail: async ({ id, email }) =>
      Math.max(await take(mailsOfAccount, id), await take(mailsToAddress, keyOf(email))),
    registration: (address) => take(registrations, networkOf(address)),
  };
}

async function take(limiter: RateLimiterPostgres, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
    throw refusal;
  }
}

/** Whoever has one IPv6 address has its whole /64 (RFC 6177 §2), so that counts as one address. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}

/** Addresses people type may be longer than a key. */
function keyOf(email: string): string {
  return new Bun.CryptoHasher("sha256").update(email).digest("base64url");
}
