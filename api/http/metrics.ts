import type { Pool } from "pg";
import { Counter, Gauge, Histogram } from "prom-client";
import { showPools } from "../../shared/db/pool-metrics.ts";
import type { StandbyOutcome } from "../../shared/db/standby/reads.ts";
import type { StandbyWatch } from "../../shared/db/standby/watch.ts";
import type { Config } from "../../shared/process/config.ts";
import { createExposition, type Exposition } from "../../shared/process/metrics.ts";
import type { Mailbox } from "../../shared/queue/client/mailbox.ts";

/** What one front door counts, in Prometheus' units (seconds). */
export type Metrics = Exposition &
  Readonly<{
    /** Passes the answer on and counts how long it took. */
    measure(method: string, route: string, answer: () => Promise<Response>): Promise<Response>;
    /** Counts a request whose rate limit was counted by this process alone. */
    countFallback(): void;
    /** Counts a read that the standby of READ_DATABASE_URL may answer, by what became of it. */
    countStandbyRead(outcome: StandbyOutcome): void;
    /** Shows at each scrape what the parts of the door know by themselves. */
    show(parts: Shown): void;
  }>;

type Shown = Readonly<{
  mailbox: Pick<Mailbox, "waiting">;
  primary: Pool;
  standby: Readonly<{ pool: Pool; watch: Pick<StandbyWatch, "isUsable" | "lagMs"> }> | undefined;
}>;

export function createMetrics(config: Pick<Config, "baseUrl" | "metricsToken">): Metrics {
  const { registry, answer } = createExposition(config);
  const requests = new Histogram({
    name: "kept_request_seconds",
    help: "Time from a request's arrival to its answer",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  const fallbacks = new Counter({
    name: "kept_rate_limit_fallbacks_total",
    help: "Requests that this front door counted by itself, because Redis did not",
    registers: [registry],
  });
  const standbyReads = new Counter({
    name: "kept_standby_reads_total",
    help: "Statements of reads that the standby answered, or why the primary did",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return {
    registry,
    countStandbyRead: (outcome) => standbyReads.inc({ outcome }),
    countFallback: () => fallbacks.inc(),
    async measure(method, route, answer) {
      const started = performance.now();
      const response = await answer();
      requests.observe({ method, route, status: response.status }, (performance.now() - started) / 1000);
      return response;
    },
    answer,
    show({ mailbox, primary, standby }) {
      showPools(registry, { primary, ...(standby && { standby: standby.pool }) });
      showValue("kept_mailbox_commands", "Commands that wait here for the next batch", mailbox.waiting);
      if (!standby) return;
      const { isUsable, lagMs } = standby.watch;
      showValue("kept_standby_usable", "1: the standby may answer reads", () => Number(isUsable()));
      showValue(
        "kept_standby_lag_seconds",
        "The age of what the standby shows, at the most",
        () => lagMs() / 1_000,
      );
    },
  };

  function showValue(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
}
