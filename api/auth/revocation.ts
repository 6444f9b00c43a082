import type { Config } from "../../shared/process/config.ts";
import type { Actor } from "../mailbox/actor.ts";
import { basicAuthorization, connectionPath, type IdentityClient } from "./identity-client.ts";
import { providerTimeoutMs } from "./provider.ts";

export type TokenKey = Pick<Actor, "userId" | "tokenId">;

/** @returns false when the provider could not be asked, so that the token is still good */
export type RevokeToken = (token: TokenKey) => Promise<boolean>;

/**
 * Ends tokens and apps at the built-in provider. This door refuses them at once; other doors do when their cached
 * checks expire.
 * @param onRevoked called when the provider has ended a token
 * @returns undefined if another provider keeps the tokens
 */
export function createRevocation(
  { authInternalUrl, builtInIdentity }: Pick<Config, "authInternalUrl" | "builtInIdentity">,
  client: IdentityClient | undefined,
  onRevoked: (token: TokenKey) => void,
): RevokeToken | undefined {
  if (!builtInIdentity || !client) return undefined;
  return async (token) => {
    const address = `${authInternalUrl}${connectionPath(token.userId, token.tokenId)}`;
    const isGone = await endAtProvider(address, client);
    if (isGone) onRevoked(token);
    return isGone;
  };
}

async function endAtProvider(address: string, client: IdentityClient): Promise<boolean> {
  const headers = { authorization: basicAuthorization(client) };
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const answer = await fetch(address, { method: "DELETE", headers, signal }).catch(() => undefined);
  return answer?.status === 204;
}
