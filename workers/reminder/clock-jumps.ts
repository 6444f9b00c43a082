import type { Pool } from "pg";
import { renewLeaseEveryMs } from "./lease.ts";

const leastMs = 2_000;

/**
 * Tells whether PostgreSQL's clock has jumped within the time in which living processes renew their leases. A jump
 * ahead ends all leases at once, and taking those deliveries up would send them twice.
 */
export function watchJumps(pool: Pick<Pool, "query">): () => Promise<boolean> {
  let offset: number | undefined;
  let jumpedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const { rows } = await pool.query<{ ms: number }>(
      "select (extract(epoch from now()) * 1000)::float8 as ms",
    );
    const found = Number(rows[0]?.ms) - performance.now();
    if (offset !== undefined && Math.abs(found - offset) > leastMs) jumpedAt = performance.now();
    offset = found;
    return performance.now() - jumpedAt < 2 * renewLeaseEveryMs;
  };
}
