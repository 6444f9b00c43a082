import { Gauge, type Registry } from "prom-client";
import type { Database } from "../../../shared/db/orm.ts";

const everyMs = 3_600_000;
const nearShare = 0.8;

const statement = `
  select coalesce(sum(bytes), 0)::float8 as bytes, count(*) filter (where bytes >= $1)::float8 as near from (
    select sum(bytes) as bytes from byte_ledger
    where kind <> 'growth' and (kind = 'things' or expires_at > now()) group by user_id
  ) accounts`;

/**
 * Counts once an hour what all accounts keep, because that reads the whole ledger.
 * @returns a function that does so if the hour is over
 */
export function countKeptBytes(registry: Registry, accountMegabytes: number) {
  const registers = [registry];
  const bytes = new Gauge({ name: "kept_account_bytes", help: "Bytes that all accounts keep", registers });
  const near = new Gauge({
    name: "kept_accounts_near_limit",
    help: "Accounts that keep 80 % or more of what they may",
    registers,
  });
  let countedAt = Number.NEGATIVE_INFINITY;
  return async ({ pool }: Pick<Database, "pool">): Promise<void> => {
    if (performance.now() < countedAt + everyMs) return;
    countedAt = performance.now();
    const most = accountMegabytes > 0 ? accountMegabytes * 1_000_000 * nearShare : Number.POSITIVE_INFINITY;
    const { rows } = await pool.query<{ bytes: number; near: number }>(statement, [most]);
    bytes.set(rows[0]?.bytes ?? 0);
    near.set(rows[0]?.near ?? 0);
  };
}
