import { expect, test } from "bun:test";
import { SQL } from "bun";
import { testEnvironment } from "../harness.ts";
import { startBalancer } from "../support/balancer.ts";
import { pidsOf, startRoles } from "../support/roles.ts";

/** The figure in docs/reliability.md was measured with ROLLING_ROUNDS=10. */
const rounds = Number(Bun.env.ROLLING_ROUNDS ?? 2);
const clients = 24;

test("a rolling restart of all doors and workers under load fails no request", async () => {
  const env = await testEnvironment();
  let returned = 0;
  const report = (line: string) => {
    if (line.includes(" is back ")) returned += 1;
  };
  const roles = await startRoles({ env, apis: 2, workers: 2, report });
  const balancer = startBalancer(roles.baseUrls.map((url) => Number(new URL(url).port)));
  const token = await roles.issuer.token();
  const head = `host: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`;
  const read = `GET /api/v1/todos HTTP/1.1\r\n${head}\r\n`;
  const body = JSON.stringify({ title: "Written" });
  const write = `POST /api/v1/todos HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  const statuses: Record<string, number> = {};
  let over = false;
  async function client(number: number): Promise<void> {
    while (!over) {
      const status = await balancer.send(number % 2 === 0 ? write : read);
      statuses[status] = (statuses[status] ?? 0) + 1;
      await Bun.sleep(number);
    }
  }
  const load = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));

  // The first restart is one under load: the doors have been asked by everybody.
  await Bun.sleep(1_000);
  for (let round = 0; round < rounds; round++) {
    for (const name of ["api", "workers"] as const) {
      for (const pid of pidsOf(name)) {
        const before = returned;
        process.kill(pid, "SIGTERM");
        while (returned === before) await Bun.sleep(50);
        await balancer.allReady();
      }
    }
  }
  over = true;
  await load;
  await balancer.stop();
  await roles.stop();
  const { "200": reads = 0, "201": writes = 0, ...failed } = statuses;
  expect(failed).toEqual({});
  expect(Math.min(reads, writes)).toBeGreaterThan(100);
  const sql = new SQL(env.DATABASE_URL ?? "", { max: 1 });
  const [row] = await sql`select count(*)::int as count from todos`;
  expect(row.count).toBe(writes);
  await sql.close();
  if (rounds > 2) console.log(`${rounds} rolling restarts: ${reads + writes} requests, 0 failed`);
}, 600_000);
