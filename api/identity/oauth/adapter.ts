import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from "oidc-provider";
import type { Pool } from "pg";
import type { Config } from "../../../shared/process/config.ts";
import { hashToken, isMistypedToken } from "../../auth/token-format.ts";
import { documentHost, findApp, revokeConnection } from "../grants.ts";
import type { Journaled } from "../journal.ts";

/**
 * A refresh token works again within this period, and each use gives tokens of the same grant: two processes of one app
 * may refresh at once, or the app may repeat a request whose answer was lost. Later it counts as stolen.
 */
const reuseGrace = "120 seconds";

/**
 * Stores oidc-provider's models in schema `identity`. Codes, tokens and sessions are stored under the SHA-256 of their
 * ids, so that a copy of the database signs nobody in.
 */
export function postgresAdapter(
  journaled: Journaled,
  config: Pick<Config, "clientDocuments">,
): AdapterFactory {
  const { pool } = journaled;
  return (kind) => {
    if (kind === "Client") return clients(pool, config);
    if (kind === "Grant") return grants(journaled);
    return artifacts(pool, kind);
  };
}

function artifacts(pool: Pool, kind: string): Adapter {
  return {
    ...unused,
    async upsert(id, payload) {
      // A stranger's sign-in is kept in the address of the page: see `signInFirst`.
      if (kind === "Interaction" && !payload.session?.accountId) return;
      const { accountId, grantId, exp } = payload;
      const uid = kind === "AuthorizationCode" ? payload.sessionUid : payload.uid;
      await pool.query(
        `insert into identity.artifacts (kind, id_hash, payload, account_id, grant_id, uid, expires_at)
         values ($1, $2, $3, $4, $5, $6, to_timestamp($7::double precision))
         on conflict (kind, id_hash) do update
         set payload = excluded.payload, account_id = excluded.account_id, expires_at = excluded.expires_at`,
        [kind, hashToken(id), withoutIds(payload), accountId, grantId, uid, exp],
      );
    },
    async find(id) {
      if (isMistypedToken(id)) return undefined;
      const { rows } = await pool.query<Stored>(
        `select payload, case
           when kind <> 'RefreshToken' or consumed_at < now() - interval '${reuseGrace}'
           then extract(epoch from consumed_at)::int
         end as consumed
         from identity.artifacts a where kind = $1 and id_hash = $2 and ${sessionGoesOn}`,
        [kind, hashToken(id)],
      );
      return rows[0] && withId(rows[0], id);
    },
    async findByUid(uid) {
      const { rows } = await pool.query<Stored>(
        `select payload, null as consumed from identity.artifacts a where kind = $1 and uid = $2 and ${sessionGoesOn}`,
        [kind, uid],
      );
      return rows[0]?.payload;
    },
    async consume(id) {
      const { rowCount } = await pool.query(
        `update identity.artifacts set consumed_at = coalesce(consumed_at, now())
         where kind = $1 and id_hash = $2 and (consumed_at is null or kind = 'RefreshToken')`,
        [kind, hashToken(id)],
      );
      // Another request has just used this code.
      if (rowCount === 0) throw new errors.InvalidGrant("already used");
    },
    async destroy(id) {
      const ended = "delete from identity.artifacts where kind = $1 and id_hash = $2";
      await pool.query(ended, [kind, hashToken(id)]);
    },
    async revokeByGrantId(grantId) {
      await pool.query(`delete from identity.artifacts where kind = $1 and grant_id = $2`, [kind, grantId]);
    },
  };
}

/**
 * A person's session, and a code made in it, count while the session has its row: a request that loaded the session
 * before it ended stores it again afterwards, and may make a code.
 */
const sessionGoesOn = `(a.account_id is null or a.uid is null or exists (
  select from identity.session_browsers b where b.session_uid = a.uid and b.account_id = a.account_id))`;

function grants(journaled: Journaled): Adapter {
  const { pool } = journaled;
  return {
    ...unused,
    async upsert(id, payload) {
      await pool.query(
        `insert into identity.grants (id, account_id, client_id, payload, expires_at)
         values ($1, $2, $3, $4, to_timestamp($5::double precision))
         on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
        [id, payload.accountId, payload.clientId, withoutIds(payload), payload.exp],
      );
    },
    async find(id) {
      const select = `select payload, null as consumed from identity.grants where id = $1`;
      const { rows } = await pool.query<Stored>(select, [id]);
      return rows[0] && withId(rows[0], id);
    },
    async destroy(id) {
      const select = `select account_id as account from identity.grants where id = $1`;
      const { rows } = await pool.query<{ account: string }>(select, [id]);
      if (rows[0]) await revokeConnection(journaled, rows[0].account, id);
    },
  };
}

function clients(pool: Pool, { clientDocuments }: Pick<Config, "clientDocuments">): Adapter {
  return {
    ...unused,
    async upsert(id, payload) {
      const stored = JSON.stringify(payload);
      await pool.query(`insert into identity.clients (id, payload) values ($1, $2)`, [id, stored]);
    },
    // An app with a document is read there, and its copy serves only while that fails (see `openDocuments`).
    find: async (id) => (clientDocuments && documentHost(id) ? undefined : findApp(pool, id)),
    async destroy(id) {
      await pool.query(`delete from identity.clients where id = $1`, [id]);
    },
  };
}

type Stored = { payload: AdapterPayload; consumed: number | null };

function withoutIds({ jti: _, session, ...payload }: AdapterPayload): string {
  if (!session) return JSON.stringify(payload);
  const { cookie: __, ...known } = session;
  return JSON.stringify({ ...payload, session: known });
}

function withId({ payload, consumed }: Stored, id: string): AdapterPayload {
  return { ...payload, jti: id, ...(consumed === null ? {} : { consumed }) };
}

const unsupported = () => Promise.reject(new Error("Not used by the features that are switched on."));

const unused: Adapter = {
  upsert: unsupported,
  find: unsupported,
  findByUid: unsupported,
  findByUserCode: unsupported,
  consume: unsupported,
  destroy: unsupported,
  revokeByGrantId: unsupported,
};
