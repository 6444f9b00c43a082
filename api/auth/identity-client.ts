import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Pool } from "pg";
import { keepSecret } from "../../shared/db/secrets.ts";
import type { Config } from "../../shared/process/config.ts";

/** The credentials of the service itself at the built-in provider, for introspection and the account pages. */
export type IdentityClient = Readonly<{
  id: string;
  secret: string;
  /** Accepted as well, while the secret is being replaced. */
  otherSecrets?: readonly string[];
}>;

/** All secrets of a client, the one that is used first. */
export const secretsOf = ({ secret, otherSecrets = [] }: IdentityClient): [string, ...string[]] => [
  secret,
  ...otherSecrets,
];

/**
 * Returns the credentials that all front doors and providers share: AUTH_CLIENT_ID and AUTH_CLIENT_SECRET when set,
 * else a pair in the database, which the first process makes.
 */
export async function identityClient(
  { authClient, dataDir }: Pick<Config, "authClient" | "dataDir">,
  pool: Pick<Pool, "query">,
): Promise<IdentityClient> {
  return authClient ?? keepSecret(pool, "client", async () => (await fromFile(dataDir)) ?? newClient());
}

/** The Authorization header of the service's own requests to the provider (RFC 6749 §2.3.1). */
export function basicAuthorization({ id, secret }: Pick<IdentityClient, "id" | "secret">): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

/** The built-in provider's address for ending a person's token or app. */
export const connectionPath = (accountId: string, id: string): string =>
  `/accounts/${encodeURIComponent(accountId)}/connections/${encodeURIComponent(id)}`;

/** True if the built-in provider can have issued a token with this id; the log may have ids of an earlier provider. */
export const isConnectionId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

const newClient = (): IdentityClient => ({ id: "kept", secret: randomBytes(32).toString("base64url") });

/** Earlier releases kept the pair in DATA_DIR, and the sessions of the account pages depend on it. */
async function fromFile(dataDir: string): Promise<IdentityClient | undefined> {
  const { id, secret } = await Bun.file(join(dataDir, "identity-client.json"))
    .json()
    .catch(() => ({}));
  return typeof id === "string" && typeof secret === "string" ? { id, secret } : undefined;
}
