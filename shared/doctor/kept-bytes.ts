import type { Pool } from "pg";

const nearShare = 0.8;

const statement = `
  select coalesce(sum(things + images + log), 0)::float8 as bytes,
    count(*) filter (where things + images + log >= $1)::float8 as near
  from account_bytes`;

/** @returns the bytes of all accounts, and the number of accounts that keep 80 % or more of what they may */
export async function countKeptBytes(
  pool: Pick<Pool, "query">,
  accountMegabytes: number,
): Promise<{ bytes: number; near: number }> {
  const most = accountMegabytes > 0 ? accountMegabytes * 1_000_000 * nearShare : Number.POSITIVE_INFINITY;
  const { rows } = await pool.query<{ bytes: number; near: number }>(statement, [most]);
  return rows[0] ?? { bytes: 0, near: 0 };
}
