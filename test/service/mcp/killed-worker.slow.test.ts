import { expect, test } from "bun:test";
import { SQL } from "bun";
import { connectFailFast } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { testEnvironment } from "../../harness.ts";
import { pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { agent, loggedCalls } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";

const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
const patienceMs = 20_000;

test("workers killed -9 under calls on two front doors: every answered call has its one row, every key one effect", async () => {
  const env = await testEnvironment();
  const { DATABASE_URL = "", REDIS_URL = "", QUEUE_PREFIX = "" } = env;
  const roles = await startRoles({ env, apis: 2, workers: 2 });
  const callers = await Promise.all(
    roles.baseUrls.map((baseUrl) => agent({ config: { baseUrl }, issuer: roles.issuer }, { sub: "ada" })),
  );
  const sent = new Map<string, number>();
  const answered = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

  /** Calls through one door after the other until the answer is final, as an agent does. */
  async function insist(key: string): Promise<void> {
    const until = Date.now() + patienceMs;
    for (let turn = 0; Date.now() < until; turn++) {
      count(sent, key);
      const result = await callers[turn % 2]?.call("create-todo", { title: key, idempotency_key: key });
      if (result?.facts?.todo) return void count(answered, key);
      if (result?.facts?.code !== undefined) expect(result.facts.code).toBe("overloaded");
      await Bun.sleep(100);
    }
  }

  async function read(): Promise<void> {
    count(sent, "read");
    const result = await callers[0]?.call("get-pending-todos", { limit: 1 });
    if (result?.facts?.todos) count(answered, "read");
  }

  async function killWorkers(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await Bun.sleep(150);
      for (const pid of pidsOf("workers")) process.kill(pid, "SIGKILL");
      await Bun.sleep(700);
    }
  }

  const streams = keys.map(async (key, index) => {
    await Bun.sleep(index * 60);
    await Promise.all([insist(key), read()]);
  });
  await Promise.all([killWorkers(), ...streams]);
  // An unanswered command may still be carried out, because the queue keeps it.
  const connection = connectFailFast(REDIS_URL);
  const queue = openQueue(commandQueue, { connection, queuePrefix: QUEUE_PREFIX });
  await queue.waitUntilReady();
  await eventually(async () => (await queue.getJobCountByTypes("active", "waiting")) === 0, patienceMs);
  connection.disconnect();

  const rows = await loggedCalls(DATABASE_URL, "ada");
  for (const key of keys) {
    const own = rows.filter((row) => row.arguments.includes(`"${key}"`));
    expect(answered.get(key)).toBe(1);
    expect(own.filter(({ outcome, replayed }) => outcome === "ok" && !replayed)).toHaveLength(1);
    expect(own.length).toBeWithin(1, (sent.get(key) ?? 0) + 1);
  }
  const reads = rows.filter(({ tool }) => tool === "get-pending-todos").length;
  expect(reads).toBeWithin(answered.get("read") ?? 0, (sent.get("read") ?? 0) + 1);
  await using sql = new SQL(DATABASE_URL, { max: 1 });
  const [todos] = await sql`select count(*)::int as count, count(distinct title)::int as titles from todos`;
  expect(todos).toEqual({ count: keys.length, titles: keys.length });
  await roles.stop();
}, 60_000);
