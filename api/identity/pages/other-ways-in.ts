import type { IdentityContext } from "../accounts/context.ts";
import { revokeAll } from "../grants/connections.ts";
import { removeAllPasskeys } from "../passkeys/storage.ts";

/** Ends everything but the password that lets somebody in, for people whose password others may have known. */
export async function endOtherWaysIn(
  identity: Pick<IdentityContext, "pool" | "ownClient">,
  accountId: string,
): Promise<void> {
  await revokeAll(identity, accountId);
  await removeAllPasskeys(identity.pool, accountId);
}
