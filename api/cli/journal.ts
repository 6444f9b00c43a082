import { createHash } from "node:crypto";
import type { Pool } from "pg";
import { loadCommonConfig } from "../../shared/process/config.ts";
import { openRunningDatabase } from "./running.ts";

type Break = Readonly<{ user_id: string; number: string }>;

/** Rows that are not what their hash says, or do not follow the row before; and chains with another end. */
const findBreaks = `
  select user_id, number from (
    select j.user_id, j.number, j.hash,
      journal_hash(coalesce(lag(j.hash) over chain, h.dropped_hash), j.user_id, j.number, j.at, j.kind, j.details) as right_hash,
      coalesce(lag(j.number) over chain, h.dropped) + 1 as right_number
    from journal j left join journal_heads h using (user_id)
    window chain as (partition by j.user_id order by j.number)
  ) row
  where hash is distinct from right_hash or number is distinct from right_number
  union
  select h.user_id, h.number
  from journal_heads h left join lateral (
    select j.number, j.hash from journal j where j.user_id = h.user_id order by j.number desc limit 1
  ) last on true
  where (coalesce(last.number, h.dropped), coalesce(last.hash, h.dropped_hash)) is distinct from (h.number, h.hash)
  order by user_id, number limit 100`;

/** All chains in one hash. Whoever can write every table can also forge whole chains, so operators keep this elsewhere. */
async function fingerprint(pool: Pool): Promise<Readonly<{ accounts: number; hash: string }>> {
  const sql = "select user_id, number, encode(hash, 'hex') as hash from journal_heads order by user_id";
  const { rows } = await pool.query<Record<string, string>>(sql);
  const lines = rows.map(({ user_id, number, hash }) => `${user_id} ${number} ${hash}\n`);
  return { accounts: rows.length, hash: createHash("sha256").update(lines.join("")).digest("hex") };
}

/** Checks the account journal: whether somebody changed, removed or added rows. */
async function main(): Promise<void> {
  const database = await openRunningDatabase(loadCommonConfig(), "journal");
  const { rows: breaks } = await database.pool.query<Break>(findBreaks);
  const { accounts, hash } = await fingerprint(database.pool);
  await database.close();
  for (const { user_id, number } of breaks)
    console.error(`The journal of ${user_id} is broken at row ${number}: it was changed past Kept.`);
  if (breaks.length > 0) throw new Error("Compare with a backup to see what the rows said before.");
  console.log(`The journals of ${accounts} accounts are whole. Their fingerprint now: ${hash}`);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
