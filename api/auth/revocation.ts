import { LRUCache } from "lru-cache";
import type { Config } from "../../shared/process/config.ts";
import type { Actor } from "../mailbox/actor.ts";
import { basicAuthorization, connectionPath, type IdentityClient } from "./identity-client.ts";
import { providerTimeoutMs } from "./provider.ts";

type TokenKey = Pick<Actor, "userId" | "tokenId">;

/** @returns false when the provider could not be asked, so that the token is still good */
export type RevokeToken = (token: TokenKey) => Promise<boolean>;

type Revocation = Readonly<{
  /** Undefined where another provider than the built-in one keeps the tokens. */
  revokeToken: RevokeToken | undefined;
  isRevoked(token: TokenKey): boolean;
}>;

const maxRemembered = 10_000;

/**
 * Ends tokens and apps at the built-in provider. This door refuses them at once, whatever it remembers of checks; other
 * doors do so when what they remember has expired. What is revoked never comes back under its id.
 */
export function createRevocation(
  { authInternalUrl, builtInIdentity }: Pick<Config, "authInternalUrl" | "builtInIdentity">,
  client: IdentityClient | undefined,
): Revocation {
  const revoked = new LRUCache<string, true>({ max: maxRemembered });
  const keyOf = ({ userId, tokenId }: TokenKey) => JSON.stringify([userId, tokenId]);
  const revokeToken = async (token: TokenKey, service: IdentityClient) => {
    const address = `${authInternalUrl}${connectionPath(token.userId, token.tokenId)}`;
    const isGone = await endAtProvider(address, service);
    if (isGone) revoked.set(keyOf(token), true);
    return isGone;
  };
  return {
    revokeToken: builtInIdentity && client ? (token) => revokeToken(token, client) : undefined,
    isRevoked: (token) => revoked.size > 0 && revoked.has(keyOf(token)),
  };
}

async function endAtProvider(address: string, client: IdentityClient): Promise<boolean> {
  const headers = { authorization: basicAuthorization(client) };
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const answer = await fetch(address, { method: "DELETE", headers, signal }).catch(() => undefined);
  return answer?.status === 204;
}
