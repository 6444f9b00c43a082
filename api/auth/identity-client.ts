import type { Pool } from "pg";
import { type IdentityClient, readSecret } from "../../shared/db/shared-secrets.ts";
import type { Config } from "../../shared/process/config.ts";

export type { IdentityClient };

/** All secrets of a client, the one that is used first. */
export const secretsOf = ({ secret, otherSecrets = [] }: IdentityClient): [string, ...string[]] => [
  secret,
  ...otherSecrets,
];

/**
 * Returns the credentials that all front doors and providers share: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET when set,
 * else a pair in the database.
 */
export const identityClient = async (
  { authClient }: Pick<Config, "authClient">,
  pool: Pick<Pool, "query">,
): Promise<IdentityClient> => authClient ?? readSecret(pool, "client");

/** The Authorization header of the service's own requests to the provider (RFC 6749 §2.3.1). */
export function basicAuthorization({ id, secret }: Pick<IdentityClient, "id" | "secret">): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

/** The built-in provider's address for ending a person's token or app. */
export const connectionPath = (accountId: string, id: string): string =>
  `/accounts/${encodeURIComponent(accountId)}/connections/${encodeURIComponent(id)}`;

/** True if the built-in provider can have issued a token with this id; the log may have ids of an earlier provider. */
export const isConnectionId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);
