import { openDatabase } from "../../../shared/db/orm.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { runTransaction } from "../../../workers/commands/transaction/transaction.ts";
import { createQuotas } from "../../../workers/unit-of-work/new-rows.ts";
import { describeTables } from "../../../workers/unit-of-work/tables.ts";
import { noAccountBytes } from "../../../workers/upkeep/account-bytes.ts";
import { percentile } from "../../support/flood.ts";
import type { Result } from "./report.ts";
import type { Scenario } from "./scenarios.ts";
import { idAt, perUser, userAt } from "./seed.ts";
import type { Subject } from "./subject.ts";

const warmUpMs = 2_000;
const measuredMs = 3_000;

/** The time of one write (p50, ms): over HTTP without other load, and its transaction alone. */
export type LoneWrite = Readonly<{ name: string; http: number; direct: number }>;

/** Compares writes over one connection with the same transaction on a connection of this process. */
export async function measureLoneWrites(own: Subject, results: readonly Result[]): Promise<LoneWrite[]> {
  const writes: LoneWrite[] = [];
  for (const { scenario, connections, http } of results)
    if (connections === 1 && scenario.command)
      writes.push({ name: scenario.name, http: http.p50, direct: await runDirectly(own, scenario.command) });
  return writes;
}

/** The worker's own code, so that the statements are the same: begin, load and lock, write, commit. */
async function runDirectly(own: Subject, commandOf: NonNullable<Scenario["command"]>): Promise<number> {
  const { databaseUrl: url, callers } = own;
  const log = createLog("bench", "error");
  const { orm, pool, close } = await openDatabase({ url, log, purpose: "writes", connections: 1 });
  const config = loadConfig({ DATABASE_URL: url, REDIS_URL: "redis://localhost" });
  const context = {
    ...{ pool, config, log, tables: describeTables(orm), accountBytes: noAccountBytes },
    openNewRows: createQuotas(),
    security() {},
    metrics: { ended() {}, committed() {} },
    carryOn() {},
  };
  const times: number[] = [];
  const began = performance.now();
  for (let ticket = 0; performance.now() < began + warmUpMs + measuredMs; ticket++) {
    const index = callers[ticket % callers.length]?.index ?? 0;
    const [id, userId, now, from] = [Bun.randomUUIDv7(), userAt(index), Date.now(), performance.now()];
    const command = {
      ...commandOf({ todo: idAt(index, ticket % perUser) }),
      ...{ ticket, id, userId, fingerprint: null, acceptedAt: now, sentAt: now },
    };
    const { replies } = await runTransaction(context, [{ command, repeat: false }], "skip");
    if (replies.some(([, { outcome }]) => "refusal" in outcome))
      throw new Error(`${command.name} was refused.`);
    if (from > began + warmUpMs) times.push(performance.now() - from);
  }
  await close();
  return percentile(times, 0.5);
}
