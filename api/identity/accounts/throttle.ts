import type { Pool } from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import { hashedKey } from "../../auth/token-format.ts";
import { secondsToWait } from "../../http/rate-limit.ts";
import { networkOf } from "../../http/request.ts";
import type { Account } from "./accounts.ts";

const minute = 60;

/**
 * Minutes that a mailed link for a new password works, and that a request for one counts: so a person who is refused
 * another link still has one that works.
 */
export const resetMinutes = 30;

type SignInAttempt = Readonly<{
  email: string;
  address: string;
  /** A browser in which the account was signed in before (see `knownBrowser`). */
  browser: string | undefined;
}>;

export type Throttle = ReturnType<typeof createThrottle>;

function createLimits(pool: Pool) {
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
  return {
    perNetwork: limit("address", 50, 15 * minute),
    perAccountAndNetwork: limit("account-address", 10, 15 * minute),
    perAccount: limit("account-total", 200, 60 * minute),
    perBrowser: limit("browser", 10, 15 * minute),
    passkeysOfNetwork: limit("passkey-address", 300, 15 * minute),
    perSession: limit("session", 10, 15 * minute),
    rightPasswords: limit("right", 30, 15 * minute),
    signUps: limit("sign-up", 30, 60 * minute),
    mailsOfAccount: limit("mail-of", 5, 60 * minute),
    mailsToAddress: limit("mail-to", 5, 60 * minute),
    notices: limit("notice", 10, 60 * minute),
    resetsOfNetwork: limit("reset-network", 20, 60 * minute),
    resetsOfAddressAndNetwork: limit("reset-address-network", 2, resetMinutes * minute),
    resetsOfAddress: limit("reset-address", 5, resetMinutes * minute),
    registrations: limit("registration", 60, 60 * minute),
    registrationsOfSites: limit("registration-sites", 300, 60 * minute),
    documents: limit("document", 60, 60 * minute),
  };
}

/** The limits of a sign-in. The narrowest comes first, so that whoever exceeds it uses up nothing of others. */
function limitsOf(
  limits: ReturnType<typeof createLimits>,
  { email, address, browser }: SignInAttempt,
): [RateLimiterPostgres, string][] {
  if (browser !== undefined) return [[limits.perBrowser, hashedKey(`${email} ${browser}`)]];
  const network = networkOf(address);
  return [
    [limits.perAccountAndNetwork, hashedKey(`${email} ${network}`)],
    [limits.perNetwork, network],
    [limits.perAccount, hashedKey(email)],
  ];
}

/**
 * Limits against guessing and flooding, kept in Postgres so that they hold over restarts and processes. Each answers with
 * the seconds to wait: 0 when the attempt may go on.
 */
export function createThrottle(pool: Pool) {
  const limits = createLimits(pool);
  return {
    /**
     * Counts an attempt at a sign-in: 50 from one network in 15 minutes, 10 of them at one account, and 200 at the
     * account from anywhere in an hour. A known browser has 10 of its own instead, so that nobody can lock it out.
     */
    signIn: (attempt: SignInAttempt) => takeInTurn(limitsOf(limits, attempt)),
    /** Takes the attempt back, so that right passwords do not count: at most 30 of an account in 15 minutes. */
    async signInWasRight(attempt: SignInAttempt): Promise<void> {
      if ((await secondsToWait(limits.rightPasswords, hashedKey(attempt.email))) > 0) return;
      for (const [limiter, key] of limitsOf(limits, attempt)) await limiter.reward(key);
    },
    /** Counts an attempt with a passkey, which cannot be guessed: 300 from one network in 15 minutes. */
    passkey: (address: string) => secondsToWait(limits.passkeysOfNetwork, networkOf(address)),
    async passkeyWasRight(address: string): Promise<void> {
      await limits.passkeysOfNetwork.reward(networkOf(address));
    },
    /** Counts an attempt at the current password by somebody signed in: 10 in one session in 15 minutes. */
    password: (sessionUid: string) => secondsToWait(limits.perSession, sessionUid),
    /** Takes the attempts back, 30 times in 15 minutes. */
    async passwordWasRight(sessionUid: string): Promise<void> {
      if ((await secondsToWait(limits.rightPasswords, sessionUid)) === 0)
        await limits.perSession.delete(sessionUid);
    },
    /** Counts an attempt at a new account: 30 from one address in an hour. */
    signUp: (address: string) => secondsToWait(limits.signUps, networkOf(address)),
    /** Counts a mail: 5 asked for by one account and 5 to one e-mail address in an hour. */
    mail: async ({ id, email }: Pick<Account, "id" | "email">) =>
      Math.max(
        await secondsToWait(limits.mailsOfAccount, id),
        await secondsToWait(limits.mailsToAddress, hashedKey(email)),
      ),
    /** Counts a message about events: 10 to one account in an hour, whatever other mails it asked for. */
    notice: (accountId: string) => secondsToWait(limits.notices, accountId),
    /**
     * Counts a link asked for by somebody who forgot a password: 20 from one network in an hour, and while a link works 2
     * for one address from the network and 5 for the address from anywhere, whether or not it has an account.
     */
    reset({ email, address }: Pick<SignInAttempt, "email" | "address">) {
      const network = networkOf(address);
      return takeInTurn([
        [limits.resetsOfNetwork, network],
        [limits.resetsOfAddressAndNetwork, hashedKey(`${email} ${network}`)],
        [limits.resetsOfAddress, hashedKey(email)],
      ]);
    },
    /**
     * Counts the registration of an app: 60 from one address in an hour. Scripts of a site count apart, so that no page
     * uses up those of its visitor's network; all sites together have five times as many.
     */
    registration(address: string, origin: string) {
      const network = networkOf(address);
      if (!origin) return secondsToWait(limits.registrations, network);
      return takeInTurn([
        [limits.registrations, hashedKey(`${network} ${origin}`)],
        [limits.registrationsOfSites, network],
      ]);
    },
    /** Counts a read of an app's document: 60 in an hour for an account, and of a connected app. */
    document: (reader: string) => secondsToWait(limits.documents, hashedKey(reader)),
  };
}

/** Stops at the first limit that is used up. */
async function takeInTurn(limits: readonly [RateLimiterPostgres, string][]): Promise<number> {
  for (const [limiter, key] of limits) {
    const wait = await secondsToWait(limiter, key);
    if (wait > 0) return wait;
  }
  return 0;
}
