import type { Pool } from "pg";
import { Gauge, type Registry } from "prom-client";

/** Pools by their database. */
type Pools = Readonly<Record<string, Pick<Pool, "totalCount" | "idleCount" | "waitingCount" | "options">>>;

/** Shows at each scrape the numbers that the pools of this process have, without asking PostgreSQL. */
export function showPools(registry: Registry, pools: Pools): void {
  const registers = [registry];
  const gaugeOf = (name: string, help: string, read: (pool: Pools[string]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["pool"],
      registers,
      collect() {
        for (const [pool, counts] of Object.entries(pools)) this.set({ pool }, read(counts));
      },
    });
  gaugeOf("kept_postgres_connections", "Open connections to PostgreSQL", ({ totalCount }) => totalCount);
  gaugeOf(
    "kept_postgres_connections_in_use",
    "Connections to PostgreSQL that are lent out",
    ({ totalCount, idleCount }) => totalCount - idleCount,
  );
  gaugeOf(
    "kept_postgres_connections_max",
    "The most connections to PostgreSQL",
    ({ options }) => options.max,
  );
  gaugeOf("kept_postgres_waiting", "What waits for a connection to PostgreSQL", (pool) => pool.waitingCount);
}
