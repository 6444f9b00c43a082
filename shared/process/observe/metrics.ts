import { timingSafeEqual } from "node:crypto";
import type { Pool } from "pg";
import { Counter, Gauge, Registry } from "prom-client";
import type { Config } from "../config.ts";

export type Exposition = ReturnType<typeof createExposition>;
type Access = Pick<Config, "baseUrl" | "metricsToken">;

/**
 * Exposes the counts of this process to Prometheus. With METRICS_TOKEN, its bearers may read from anywhere. Without it only this machine may, and nobody if BASE_URL is
 * https.
 */
export function createExposition(access: Access) {
  const registry = new Registry();
  measureProcess(registry);
  return {
    registry,
    /** Answers with the counts, or 404 if the caller may not see them. */
    async answer(headers: Headers, remoteAddress: () => string | undefined): Promise<Response> {
      if (!mayRead(headers, remoteAddress, access)) return new Response(null, { status: 404 });
      return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
    },
  };
}

/**
 * The process's own needs, by the usual names. prom-client's default metrics also walk the heap at each scrape, which
 * stops a large process for 100 ms.
 */
function measureProcess(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of this process in seconds",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1_000_000);
    },
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of this process in bytes",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "nodejs_eventloop_lag_seconds",
    help: "How long a task that is due at once waits, in seconds",
    registers,
    async collect() {
      const since = performance.now();
      await new Promise(setImmediate);
      this.set((performance.now() - since) / 1_000);
    },
  });
}

function mayRead(
  headers: Headers,
  remoteAddress: () => string | undefined,
  { baseUrl, metricsToken: token }: Access,
): boolean {
  if (token === undefined) return !baseUrl.startsWith("https:") && isLocal(headers, remoteAddress());
  const shown = Buffer.from(headers.get("authorization") ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

/**
 * The Host header counts too: by DNS rebinding, a foreign page in a local browser reaches this process under its
 * own name.
 */
function isLocal(headers: Headers, remoteAddress: string | undefined): boolean {
  if (isForwarded(headers) || !/^(127\.|::1$|::ffff:127\.)/.test(remoteAddress ?? "")) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(headers.get("host") ?? "");
}

/** Behind a proxy on this machine every request seems to come from this machine. */
const isForwarded = (headers: Headers): boolean =>
  ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => headers.has(name));

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
