import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { launchRole } from "../../../shared/embedded/role-process.ts";
import { testEnvironment } from "../../harness.ts";
import { seedReminders, startFloodReceiver } from "../../support/flood.ts";
import { eventually } from "../../support/reminder/stack.ts";

const root = join(import.meta.dir, "../../..");
const env: Record<string, string> = { ...(await testEnvironment()), WEBHOOK_ALLOW_LOOPBACK: "yes" };
const databaseUrl = env.DATABASE_URL ?? "";

/** Four worker processes whose clocks differ by hours: one that used its own clock would get every lease wrong. */
const skews = [0, 16_000, 26 * 3_600_000, -26 * 3_600_000];
const workers = skews.map((skew) =>
  launchRole(
    { name: "workers", script: join(root, "workers/main.ts") },
    {
      ...process.env,
      ...env,
      CLOCK_SKEW_MS: String(skew),
      BUN_OPTIONS: `--preload=${join(import.meta.dir, "../../support/reminder/skewed-clock.ts")}`,
    },
  ),
);
await Promise.all(workers.map(({ ready }) => ready));
afterAll(async () => {
  for (const worker of workers) await worker.stop();
});

test("workers whose clocks are wrong send each reminder once, on time, and not late", async () => {
  // This takes several ticks, so a worker with a wrong clock would take a delivery up again.
  const receiver = startFloodReceiver(async () => {
    await Bun.sleep(4_000);
    return new Response(null, { status: 204 });
  });
  const seed = { url: receiver.url, prefix: "skew", users: 4, remindersPerUser: 10, spreadMs: 3_000 };
  await seedReminders(databaseUrl, { ...seed, dueAt: Date.now() + 2_000 });
  await using sql = new SQL(databaseUrl, { max: 1 });
  const states = async () => {
    const rows = await sql`
      select r.status, d.late, d.attempts, count(*)::int as count
      from reminders r join reminder_deliveries d on d.id = r.delivery_id group by 1, 2, 3`;
    return [...rows];
  };
  const areAllSent = async () => (await states()).every(({ status }) => status === "sent");
  await eventually(async () => receiver.things.size === 40 && (await areAllSent()));
  await Bun.sleep(2_000);
  expect(await states()).toEqual([{ status: "sent", late: false, attempts: 1, count: 40 }]);
  expect(receiver.lateness).toHaveLength(40);
  expect(Math.min(...receiver.lateness)).toBeGreaterThanOrEqual(0);
});
