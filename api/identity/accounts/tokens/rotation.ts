import { newPersonalToken } from "../../../auth/token-format.ts";
import type { ConnectionKey } from "../../grants/changes.ts";
import { workingSecrets } from "../../grants/connections.ts";
import { personalClientId } from "../../grants/grants.ts";
import { lastFour, type NewToken } from "../../grants/personal-token.ts";
import { inJournal, type Journaled } from "../../journal/record.ts";
import { hashToken } from "../confirmation.ts";

/** Seconds until the previous secret ends, and the end of the new one; undefined leaves its end. */
type Rotation = Readonly<{ graceSeconds: number; expiresAt: number | undefined }>;

/** The number of secrets of one token that may work at a time. */
export const maxSecrets = 5;

/**
 * Gives a personal token a new secret; id, scopes and name stay. The grant's row lock is tried and not waited for,
 * because many requests at once would hold the database's connections.
 * @returns the reason for no new secret; `busy` also if the account has no token with this id
 */
export async function rotateToken(
  journaled: Journaled,
  { accountId, id }: ConnectionKey,
  { graceSeconds, expiresAt }: Rotation,
): Promise<NewToken | "busy" | "full"> {
  const token = newPersonalToken();
  return inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<{ name: string }>(
      `select name from identity.grants
       where account_id = $1 and id = $2 and client_id = $3 and expires_at > now() for no key update skip locked`,
      [accountId, id, personalClientId],
    );
    const [grant] = rows;
    if (!grant) return "busy";
    if (
      graceSeconds > 0 &&
      (await client.query(`select ${workingSecrets("$1")}`, [id])).rows.length >= maxSecrets
    )
      return "full";
    await client.query(moveEnd, [id, lastFour(token), expiresAt ?? null]);
    const { rowCount: added } = await client.query(addSecret, [id, hashToken(token)]);
    if (added !== 1) throw new Error("A token has no secret that a new one could be made after.");
    if (graceSeconds === 0) await client.query(endOthers, [id, hashToken(token)]);
    else await client.query(endOthersLater, [id, hashToken(token), graceSeconds]);
    await record("token_rotated", grant, { thing: id });
    return { id, token };
  });
}

/** Ends the earlier secrets that are still in their grace period. */
export async function endOldSecrets(journaled: Journaled, { accountId, id }: ConnectionKey): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<{ name: string }>(endOld, [accountId, id, personalClientId]);
    if (rows[0]) await record("token_secrets_ended", rows[0]);
  });
}

const endOld = `
  delete from identity.artifacts using identity.grants g
  where g.account_id = $1 and g.id = $2 and g.client_id = $3 and grant_id = g.id and kind = 'AccessToken'
    and id_hash in (select a.id_hash ${workingSecrets("$2")} offset 1)
  returning g.name`;

const moveEnd = `
  update identity.grants
  set last_four = $2,
    end_told_at = case when $3::double precision is null then end_told_at end,
    expires_at = coalesce(to_timestamp($3), expires_at),
    payload = case when $3 is null then payload else payload || jsonb_build_object('exp', $3) end
  where id = $1`;

/** The new secret copies the newest one, but starts now and ends with its grant. */
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
