import type { Pool } from "pg";

/** A limit of 0 means none. */
export const mostBytes = (megabytes: number): number =>
  megabytes > 0 ? megabytes * 1_000_000 : Number.MAX_SAFE_INTEGER;

const nearShare = 0.8;

const statement = `
  select coalesce(sum(kept), 0)::float8 as bytes, count(*) filter (where kept >= $1)::float8 as near
  from account_bytes`;

/** @returns the bytes of all accounts, and the number of accounts that keep 80 % or more of what they may */
export async function countKeptBytes(
  pool: Pick<Pool, "query">,
  accountMegabytes: number,
): Promise<{ bytes: number; near: number }> {
  const { rows } = await pool.query<{ bytes: number; near: number }>(statement, [
    Math.floor(mostBytes(accountMegabytes) * nearShare),
  ]);
  return rows[0] ?? { bytes: 0, near: 0 };
}
