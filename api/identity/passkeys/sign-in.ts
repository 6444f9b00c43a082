import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import { findAccount } from "../accounts/accounts.ts";
import type { IdentityContext } from "../accounts/context.ts";
import type { CheckedAccount } from "../accounts/passwords/passwords.ts";
import { checkChallenge, newChallenge } from "./challenges.ts";
import { passkeySite } from "./site.ts";
import { findPasskey, notePasskeyUse } from "./storage.ts";
import { webauthn } from "./webauthn.ts";

type Dependencies = Pick<IdentityContext, "config" | "keys" | "pool">;

/** Options for the browser to sign in with any passkey; undefined if the site can have none. */
export async function signInOptions(
  { config, keys }: Pick<Dependencies, "config" | "keys">,
  holder: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const site = passkeySite(config);
  if (!site) return undefined;
  const challenge = newChallenge(keys, { holder, purpose: "get" });
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({ rpID: site.id, challenge, userVerification: "required" });
}

/**
 * Finds the account whose passkey answered this holder's challenge. User verification is required, because the passkey
 * stands for the password. Each challenge works once.
 */
export async function findByPasskey(
  { config, keys, pool }: Dependencies,
  holder: string,
  text: string,
): Promise<CheckedAccount | undefined> {
  const site = passkeySite(config);
  const { readAssertion } = await import("./responses.ts");
  const response = readAssertion(text);
  if (!site || !response) return undefined;
  const passkey = await findPasskey(pool, response.id);
  if (!passkey) return undefined;
  const challenge = checkChallenge(keys, { holder, purpose: "get" });
  const { isoBase64URL, verifyAuthenticationResponse } = await webauthn();
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.isOwn,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: passkey,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!checked?.verified) return undefined;
  if (isoBase64URL.toUTF8String(response.response.userHandle) !== passkey.accountId) return undefined;
  if (!(await challenge.use(pool))) return undefined;
  const isNew = await notePasskeyUse(pool, passkey.id, checked.authenticationInfo.newCounter);
  const account = isNew ? await findAccount(pool, passkey.accountId) : undefined;
  return account && { ...account, passwordHash: passkey.passwordHash };
}
