import { Gauge, type Registry } from "prom-client";
import type { Database } from "../../../shared/db/orm.ts";
import { countKeptBytes } from "../../../shared/doctor/kept-bytes.ts";

const everyMs = 3_600_000;

/**
 * Sums the bytes of all accounts once an hour, because that reads the whole ledger.
 * @returns a function that does so if the hour is over
 */
export function showKeptBytes(registry: Registry, accountMegabytes: number) {
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
    const counted = await countKeptBytes(pool, accountMegabytes);
    bytes.set(counted.bytes);
    near.set(counted.near);
  };
}
