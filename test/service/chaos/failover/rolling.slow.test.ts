import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../../shared/embedded/servers/port.ts";
import { testEnvironment } from "../../../harness.ts";
import { pidsOf, type RoleName, startRoles } from "../../../support/chaos/roles.ts";
import { startSteadyLoad } from "../../../support/chaos/steady-load.ts";
import { query } from "../../../support/reminder/stack.ts";
import { startBalancer } from "../../../support/servers/balancer.ts";

const roleNames: readonly RoleName[] = ["workers", "api", "identity"];
/** Keeps several processes from starting at the same time, which would take all cores from the serving ones. */
const apartMs = 700;

/** Two front doors, workers and identity providers behind balancers. */
async function startBehindBalancers() {
  const dataDir = await mkdtemp(join(tmpdir(), "kept-rolling-"));
  const identityPorts = [await freePort(), await freePort()];
  const identities = await startBalancer(identityPorts);
  const env: Record<string, string> = {
    ...(await testEnvironment()),
    AUTH_URL: "",
    IDENTITY_URL: `http://127.0.0.1:${identities.port}`,
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
  return {
    databaseUrl: env.DATABASE_URL ?? "",
    ports: { doors: doors.port, identities: identities.port },
    ownerToken: roles.details.owner_token ?? "",
    returned: () => returned,
    allHealthy: () => Promise.all([doors.allHealthy(), identities.allHealthy()]),
    async stop() {
      await roles.stop();
      await Promise.all([doors.stop(), identities.stop()]);
      await rm(dataDir, { recursive: true });
    },
  };
}

test("a rolling restart of all front doors, workers and identity providers fails no request", async () => {
  const service = await startBehindBalancers();
  await service.allHealthy();
  const load = await startSteadyLoad(service.ports, service.ownerToken);
  await Bun.sleep(1_000);
  const pids = roleNames.map(pidsOf);
  for (const turn of [0, 1]) {
    const before = service.returned();
    for (const ofRole of pids) {
      process.kill(ofRole[turn] ?? Number.NaN, "SIGTERM");
      await Bun.sleep(apartMs);
    }
    while (service.returned() < before + roleNames.length) await Bun.sleep(50);
    await service.allHealthy();
  }
  const { requests, failed, made } = await load.stop();
  await service.stop();
  expect(failed).toEqual({});
  expect(requests).toBeGreaterThan(100);
  // One todo existed before.
  const [stored] = await query(service.databaseUrl, "select count(*)::int as count from todos");
  expect(stored.count).toBe(made + 1);
}, 300_000);
