import { networkUnderWay } from "../journal/origin.ts";
import { inJournal, type Journaled } from "../journal/record.ts";
import { findAccountByEmail } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";

/**
 * Tells the account of a wrong password. The answer does not wait for it, so that its time does not show whether there
 * is an account.
 */
export function noteFailure(identity: Journaled & Pick<IdentityContext, "log">, email: string): void {
  const network = networkUnderWay();
  const note = async () => {
    const account = await findAccountByEmail(identity.pool, email);
    if (!account) return identity.security({ kind: "sign_in_failed", network });
    await inJournal(identity, account.id, (_, record) => record("sign_in_failed", { way: "password" }));
  };
  note().catch((error) =>
    identity.log.warn({ reason: String(error) }, "a failed sign-in could not be noted"),
  );
}
