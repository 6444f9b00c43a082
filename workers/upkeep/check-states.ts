import { Gauge } from "prom-client";
import { checksOf } from "../../shared/doctor/checks.ts";
import { examine, states } from "../../shared/doctor/diagnosis.ts";
import { usesEmbeddedDatabase } from "../../shared/doctor/patient.ts";
import type { WorkerContext } from "../process/context.ts";

const everyMs = 60_000;

/**
 * Shows what `npm run admin -- doctor` finds. A scrape does not wait for the checks: it begins them once a minute, and a
 * later one shows them. Accounts have metrics of their own, because to count them costs more.
 */
export function showCheckStates({
  config,
  registry,
  database: { pool },
  publisher: redis,
}: Pick<WorkerContext, "config" | "registry" | "database" | "publisher">): void {
  let beganAt = Number.NEGATIVE_INFINITY;
  const state = new Gauge({
    name: "kept_check_state",
    help: "What npm run admin -- doctor finds: 0 is ok, 1 wants a look, 2 is broken",
    labelNames: ["check"],
    registers: [registry],
    collect() {
      if (performance.now() < beganAt + everyMs) return;
      beganAt = performance.now();
      void look();
    },
  });
  async function look() {
    const isEmbedded = await usesEmbeddedDatabase(config);
    const checks = checksOf({ config, isEmbedded, pool, redis }).filter(({ isCostly }) => !isCostly);
    for (const [check, diagnosis] of await examine(checks))
      state.set({ check }, states.indexOf(diagnosis.state));
  }
}
