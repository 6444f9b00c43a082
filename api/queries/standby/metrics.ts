import { Counter, Gauge, type Registry } from "prom-client";
import type { StandbyOutcome } from "./reads.ts";
import type { StandbyWatch } from "./watch.ts";

/**
 * Shows the state of the standby at each scrape.
 * @returns a counter of the reads that it may answer
 */
export function showStandby(
  registry: Registry,
  { isUsable, lagMs }: Pick<StandbyWatch, "isUsable" | "lagMs">,
): (outcome: StandbyOutcome) => void {
  const registers = [registry];
  new Gauge({
    name: "kept_standby_usable",
    help: "1: the standby may answer reads",
    registers,
    collect() {
      this.set(Number(isUsable()));
    },
  });
  new Gauge({
    name: "kept_standby_lag_seconds",
    help: "The age of what the standby shows, at the most",
    registers,
    collect() {
      this.set(lagMs() / 1_000);
    },
  });
  const reads = new Counter({
    name: "kept_standby_reads_total",
    help: "Statements of reads that the standby answered, or why the primary did",
    labelNames: ["outcome"],
    registers,
  });
  return (outcome) => reads.inc({ outcome });
}
