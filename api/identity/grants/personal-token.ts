import type { Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";
import type { Scope } from "../../../shared/contracts/scopes.ts";
import { keepWithinLimit, personalClientId } from "./grants.ts";
import { type Resources, setScopes } from "./resources.ts";

type TokenMaker = Readonly<{ provider: Provider; pool: Pool; resources: Resources }>;

type WantedToken = Readonly<{ accountId: string; name: string; scopes: readonly Scope[]; days: number }>;

/**
 * Makes a personal access token: an ordinary access token under a grant of its own.
 * @returns the token itself; undefined when the account has as many as it may
 */
export async function createPersonalToken(
  { provider, pool, resources }: TokenMaker,
  { accountId, name, scopes, days }: WantedToken,
): Promise<string | undefined> {
  const client = await provider.Client.find(personalClientId);
  if (!client) throw new Error("The client of personal access tokens is not configured.");
  const exp = Math.floor(Date.now() / 1_000) + days * 24 * 60 * 60;
  const grant: Grant = new provider.Grant({ accountId, clientId: client.clientId });
  setScopes(grant, resources, scopes);
  grant.exp = exp;
  const grantId = await grant.save();
  if (!(await keepWithinLimit(pool, grantId))) return undefined;
  await pool.query(`update identity.grants set name = $2 where id = $1`, [grantId, name]);
  const token = new provider.AccessToken({
    accountId,
    client,
    grantId,
    gty: "personal",
    scope: scopes.join(" "),
    aud: resources.byDefault,
  });
  token.exp = exp;
  return await token.save();
}
