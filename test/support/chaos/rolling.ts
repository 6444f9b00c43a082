import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { testEnvironment } from "../../harness.ts";
import { startBalancer } from "../servers/balancer.ts";
import { pidsOf, type RoleName, startRoles } from "./roles.ts";
import { startSteadyLoad } from "./steady-load.ts";

export type RollingResult = Readonly<{
  requests: number;
  /** The number of failures of each kind. */
  failed: Readonly<Record<string, number>>;
  /** The number of acknowledged todos, and of stored ones. */
  made: number;
  stored: number;
}>;

const roleNames: readonly RoleName[] = ["workers", "api", "identity"];
/** Keeps several processes from starting at the same time, which would take all cores from the serving ones. */
const apartMs = 700;

/**
 * Two front doors, workers and identity providers behind balancers, all of them restarted in each round, one of each role
 * at a time, under a steady load of reads, changes, tool calls and pages.
 */
export async function restartUnderLoad(rounds: number): Promise<RollingResult> {
  const dataDir = await mkdtemp(join(tmpdir(), "kept-rolling-"));
  const identityPorts = [await freePort(), await freePort()];
  const identities = await startBalancer(identityPorts);
  const env: Record<string, string> = {
    ...(await testEnvironment()),
    AUTH_URL: "",
    IDENTITY_URL: `http://127.0.0.1:${identities.port}`,
    MCP_RATE_LIMIT_PER_MINUTE: "0",
    DATA_DIR: dataDir,
    // Balancers need less time than this to notice.
    DRAIN_SECONDS: "1",
  };
  let returned = 0;
  const report = (line: string) => {
    if (line.includes(" is back ")) returned += 1;
  };
  const roles = await startRoles({ env, apis: 2, workers: 2, identityPorts, report });
  const doors = await startBalancer(roles.baseUrls.map((url) => Number(new URL(url).port)));
  const allHealthy = () => Promise.all([doors.allHealthy(), identities.allHealthy()]);
  await allHealthy();

  const ports = { doors: doors.port, identities: identities.port };
  const load = await startSteadyLoad(ports, roles.details.owner_token ?? "");
  await Bun.sleep(1_000);
  for (let round = 0; round < rounds; round++) {
    const pids = roleNames.map(pidsOf);
    for (const turn of [0, 1]) {
      const before = returned;
      for (const ofRole of pids) {
        process.kill(ofRole[turn] ?? Number.NaN, "SIGTERM");
        await Bun.sleep(apartMs);
      }
      while (returned < before + roleNames.length) await Bun.sleep(50);
      await allHealthy();
    }
  }
  const { requests, failed, made } = await load.stop();

  await roles.stop();
  await Promise.all([doors.stop(), identities.stop()]);
  await rm(dataDir, { recursive: true });
  const sql = new SQL(env.DATABASE_URL ?? "", { max: 1 });
  const [row] = await sql`select count(*)::int as count from todos`;
  await sql.close();
  return { requests, failed, made, stored: row.count };
}
