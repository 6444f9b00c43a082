import type { Pool } from "pg";

const nearShare = 0.8;

const statement = `
  select coalesce(sum(bytes), 0)::float8 as bytes, count(*) filter (where bytes >= $1)::float8 as near from (
    select sum(bytes) as bytes from byte_ledger
    where kind <> 'growth' and (kind = 'things' or expires_at > now()) group by user_id
  ) accounts`;

/** @returns the bytes of all accounts, and the number of accounts that keep 80 % or more of what they may */
export async function countKeptBytes(
  pool: Pick<Pool, "query">,
  accountMegabytes: number,
): Promise<{ bytes: number; near: number }> {
  const most = accountMegabytes > 0 ? accountMegabytes * 1_000_000 * nearShare : Number.POSITIVE_INFINITY;
  const { rows } = await pool.query<{ bytes: number; near: number }>(statement, [most]);
  return rows[0] ?? { bytes: 0, near: 0 };
}
