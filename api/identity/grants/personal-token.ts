import type { Grant, Provider } from "oidc-provider";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { newPersonalToken } from "../../auth/token-format.ts";
import { inJournal, type Journaled } from "../journal/record.ts";
import { keepWithinLimit, personalClientId } from "./grants.ts";
import { type Resources, setScopes } from "./resources.ts";

type TokenMaker = Journaled & Readonly<{ provider: Provider; resources: Resources }>;

/** `expiresAt` is epoch seconds. */
type WantedToken = Readonly<{ accountId: string; name: string; scopes: readonly Scope[]; expiresAt: number }>;

/** A token that was just made; its owner sees it once. `id` is its connection's. */
export type NewToken = Readonly<{ id: string; token: string }>;

/** The part of a token that is stored in clear, so that its owner can tell it from others. */
export const lastFour = (token: string): string => token.slice(-4);

/**
 * Makes a personal access token: an ordinary access token under a grant of its own.
 * @returns undefined when the account has the most that it may have
 */
export async function createPersonalToken(
  { provider, resources, ...journaled }: TokenMaker,
  { accountId, name, scopes, expiresAt }: WantedToken,
): Promise<NewToken | undefined> {
  const client = await provider.Client.find(personalClientId);
  if (!client) throw new Error("The client of personal access tokens is not configured.");
  const grant: Grant = new provider.Grant({ accountId, clientId: client.clientId });
  setScopes(grant, resources, scopes);
  grant.exp = expiresAt;
  const id = await grant.save();
  if (!(await keepWithinLimit(journaled.pool, id))) return undefined;
  const token = newPersonalToken();
  const named = `update identity.grants set name = $2, last_four = $3 where id = $1`;
  await inJournal(journaled, accountId, async (client, record) => {
    await client.query(named, [id, name, lastFour(token)]);
    const ends = new Date(expiresAt * 1_000).toISOString().slice(0, 10);
    await record("token_made", { name, scopes: scopes.join(", "), ends }, { thing: id });
  });
  const stored = new provider.AccessToken({
    accountId,
    client,
    grantId: id,
    gty: "personal",
    scope: scopes.join(" "),
    aud: resources.byDefault,
  });
  // The library chooses the format when it makes the id itself.
  Object.assign(stored, { jti: token, format: "opaque", exp: expiresAt });
  await stored.save();
  return { id, token };
}
