import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import type { Account } from "../accounts/accounts.ts";
import type { IdentityContext } from "../accounts/context.ts";
import type { Journaled } from "../journal/record.ts";
import { checkChallenge, newChallenge } from "./challenges.ts";
import { passkeySite } from "./site.ts";
import { listPasskeys, storePasskey } from "./storage.ts";
import { webauthn } from "./webauthn.ts";

type Dependencies = Pick<IdentityContext, "config" | "keys" | "pool">;

/** Options for the browser to make a passkey that needs no typed address; undefined if the site can have none. */
export async function creationOptions(
  { config, keys, pool }: Dependencies,
  { account, holder }: Readonly<{ account: Account; holder: string }>,
): Promise<PublicKeyCredentialCreationOptionsJSON | undefined> {
  const site = passkeySite(config);
  if (!site) return undefined;
  const known = await listPasskeys(pool, account.id);
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: "Kept",
    rpID: site.id,
    userID: new TextEncoder().encode(account.id),
    userName: account.email,
    challenge: newChallenge(keys, { holder, purpose: "create" }),
    excludeCredentials: known.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

type Answer = Readonly<{
  account: Account;
  /** The uid of the session. */
  holder: string;
  text: string;
  name: string;
}>;

/**
 * Stores the passkey that the browser made.
 * @returns false when its answer is wrong or the account has too many
 */
export async function createPasskey(
  { config, keys, ...journaled }: Pick<Dependencies, "config" | "keys"> & Journaled,
  { account, holder, text, name }: Answer,
): Promise<boolean> {
  const site = passkeySite(config);
  const { readCreation } = await import("./responses.ts");
  const response = readCreation(text);
  if (!site || !response) return false;
  const challenge = checkChallenge(keys, { holder, purpose: "create" });
  const { verifyRegistrationResponse } = await webauthn();
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge.isOwn,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!checked?.verified || !(await challenge.use(journaled.pool))) return false;
  const { id, publicKey, counter } = checked.registrationInfo.credential;
  return storePasskey(journaled, {
    id,
    accountId: account.id,
    sessionUid: holder,
    publicKey,
    counter,
    name,
  });
}
