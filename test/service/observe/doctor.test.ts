import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { migrations } from "../../../shared/db/migrations/index.ts";
import { freePort, startStack, testEnvironment } from "../../harness.ts";
import { openGate } from "../../support/chaos/gate.ts";
import { folderOfFile } from "../../support/folder.ts";
import { useMailbox } from "../../support/reminder/mailbox.ts";
import { eventually, query } from "../../support/reminder/stack.ts";

const settings = await testEnvironment();
const dataDir = folderOfFile("doctor");
const postgresGate = await openGate(settings.DATABASE_URL ?? "");
const redisGate = await openGate(settings.REDIS_URL ?? "");
const mailbox = await useMailbox();
const workerPort = freePort();
const stack = await startStack({ env: { ...settings, WORKER_PORT: String(workerPort) } });

/** A worker's process gives signs of life by a thread of its own (workers/main.ts). */
const signs = new Worker(join(import.meta.dir, "../../../workers/commands/sign-thread.ts"), {
  workerData: { redisUrl: settings.REDIS_URL, queuePrefix: settings.QUEUE_PREFIX },
});
afterAll(() => signs.terminate());

const environment = {
  ...settings,
  DATABASE_URL: postgresGate.url,
  REDIS_URL: redisGate.url,
  SMTP_URL: mailbox.url,
  DATA_DIR: dataDir,
  BASE_URL: stack.config.baseUrl,
};

/**
 * Runs `npm run admin -- doctor` as an operator does.
 * @returns the state of each check, by the printed lines
 */
async function doctor(env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, "api/cli/admin.ts", "doctor"], {
    cwd: join(import.meta.dir, "../../.."),
    env: { PATH: process.env.PATH, ...environment, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  const lines = [...text.matchAll(/^(ok|look|broken) +(\w+) +(.+)$/gm)];
  return { code, text, states: Object.fromEntries(lines.map(([, state, name]) => [name, state])) };
}

const all = (names: string, state: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, state]));
const well = all(
  "PostgreSQL schema roles Redis workers door clocks disk backup archive mail channels reminders accounts",
  "ok",
);

test("each part of a well installation is ok, and nothing is advised", async () => {
  const { code, text, states } = await doctor();
  expect({ code, states }).toEqual({ code: 0, states: well });
  expect(text.trim().split("\n")).toHaveLength(Object.keys(well).length);
});

test("without Redis or the mail server these are broken, and the rest is seen still", async () => {
  redisGate.shut();
  const { code, text, states } = await doctor({ SMTP_URL: `smtp://127.0.0.1:${freePort()}` });
  redisGate.open();
  expect({ code, states }).toEqual({
    code: 1,
    states: { ...well, Redis: "broken", workers: "look", mail: "broken" },
  });
  expect(text).toContain("Mend Redis first.");
});

test("without PostgreSQL nothing is said of what it alone knows", async () => {
  postgresGate.shut();
  const { code, states } = await doctor();
  postgresGate.open();
  expect(code).toBe(1);
  expect(states).toEqual({
    ...well,
    PostgreSQL: "broken",
    ...all("schema roles clocks archive channels reminders accounts", "look"),
  });
});

test("a silent server is given up after seconds", async () => {
  redisGate.silence();
  redisGate.delay(1_000_000);
  const { code, states } = await doctor();
  redisGate.delay(0);
  redisGate.cut();
  expect({ code, redis: states.Redis }).toEqual({ code: 1, redis: "broken" });
});

test("a schema of another release, missing workers, failing channels and late reminders are told", async () => {
  const alone = await testEnvironment();
  const sql = (text: string, values: unknown[] = []) => query(alone.DATABASE_URL ?? "", text, values);
  const deliver = (status: string, minutesAgo: number) =>
    sql(
      `insert into reminder_deliveries (user_id, id, channel, status, attempts, late, used_acts, scheduled_at,
        next_attempt_at, created_at, finished_at)
      values ('ada', gen_random_uuid(), 'webhook', $1::text, 1, false, '', now(),
        now() - $2 * interval '1 minute', now(), case when $1::text <> 'queued' then now() end)`,
      [status, minutesAgo],
    );
  await sql("update mikro_orm_migrations set name = '20200101-earlier'");
  for (const status of ["failed", "failed", "sent"]) await deliver(status, 0);
  await deliver("queued", 2);
  const late = { ...well, workers: "broken", channels: "look", reminders: "look" };
  const behind = await doctor(alone);
  expect(behind).toMatchObject({ code: 1, states: { ...late, schema: "broken" } });
  for (const words of ["a migration is missing", "webhook failed 2 of 3", "1 are late, the first by 2 min"])
    expect(behind.text).toContain(words);

  await sql(
    "insert into mikro_orm_migrations (name, executed_at) values ($1, now()), ('29991231-later', now())",
    [migrations.at(-1)?.name],
  );
  await deliver("queued", 10);
  const ahead = await doctor(alone);
  expect(ahead.states).toEqual({ ...late, schema: "look", reminders: "broken" });
});

test("a worker shows the same as a metric", async () => {
  const scrape = async () => (await fetch(`http://127.0.0.1:${workerPort}/metrics`)).text();
  const shown = async () =>
    [...(await scrape()).matchAll(/^kept_check_state\{check="(\w+)"\} 0$/gm)].map(([, name]) => name);
  const names = Object.keys(well).filter((name) => name !== "accounts" && name !== "door");
  // The next look, a minute later, mends what a busy machine answered too late.
  await eventually(async () => Bun.deepEquals(await shown(), names), 130_000);
});
