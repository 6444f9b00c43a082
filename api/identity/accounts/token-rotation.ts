import type { Pool, PoolClient } from "pg";
import { newPersonalToken } from "../../../shared/domain/token-format.ts";
import type { ConnectionKey } from "../grants/changes.ts";
import { personalClientId } from "../grants/grants.ts";
import { lastFour, type NewToken } from "../grants/personal-token.ts";
import { hashToken } from "./confirmation.ts";

/** When the secret before a new one ends, in seconds from now, and when the new one does; undefined leaves its end. */
type Rotation = Readonly<{ graceSeconds: number; expiresAt: number | undefined }>;

/**
 * Gives a personal token a new secret under the same id, scopes and name. The grant's row is locked first, so that of
 * two rotations at the same moment the second ends the secret of the first.
 * @returns undefined when the account has no such token
 */
export async function rotateToken(
  pool: Pool,
  { accountId, id }: ConnectionKey,
  { graceSeconds, expiresAt }: Rotation,
): Promise<NewToken | undefined> {
  const token = newPersonalToken();
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `select from identity.grants
       where account_id = $1 and id = $2 and client_id = $3 and expires_at > now() for update`,
      [accountId, id, personalClientId],
    );
    if (rowCount === 0) return undefined;
    await client.query(moveEnd, [id, lastFour(token), expiresAt ?? null]);
    const { rowCount: added } = await client.query(addSecret, [id, hashToken(token)]);
    if (added !== 1) throw new Error("A token has no secret that a new one could be made after.");
    if (graceSeconds === 0) await client.query(endOthers, [id, hashToken(token)]);
    else await client.query(endOthersLater, [id, hashToken(token), graceSeconds]);
    return { id, token };
  });
}

const moveEnd = `
  update identity.grants
  set last_four = $2,
    end_told_at = case when $3::double precision is null then end_told_at end,
    expires_at = coalesce(to_timestamp($3), expires_at),
    payload = case when $3 is null then payload else payload || jsonb_build_object('exp', $3) end
  where id = $1`;

/** The new secret is like the newest one before, but as old and as long-lived as its grant now says. */
const addSecret = `
  insert into identity.artifacts (kind, id_hash, payload, account_id, grant_id, expires_at)
  select a.kind, $2, (a.payload::jsonb || jsonb_build_object(
      'iat', floor(extract(epoch from now())), 'exp', g.payload->'exp'))::json,
    a.account_id, a.grant_id, g.expires_at
  from identity.grants g join identity.artifacts a on a.grant_id = g.id and a.kind = 'AccessToken'
  where g.id = $1
  order by a.expires_at desc limit 1`;

const endOthers = `
  delete from identity.artifacts where grant_id = $1 and kind = 'AccessToken' and id_hash <> $2`;

const endOthersLater = `
  update identity.artifacts
  set expires_at = least(expires_at, now() + make_interval(secs => $3)),
    payload = (payload::jsonb || jsonb_build_object('exp',
      floor(extract(epoch from least(expires_at, now() + make_interval(secs => $3))))))::json
  where grant_id = $1 and kind = 'AccessToken' and id_hash <> $2`;

async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // Closing the connection ends the transaction, also when the server no longer answers.
    client.release(true);
    throw error;
  }
}
