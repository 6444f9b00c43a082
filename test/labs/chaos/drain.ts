import type { SQL } from "bun";
import { connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import type { Violation } from "./evidence.ts";
import type { World } from "./world/world.ts";

const patienceMs = 20_000;
/** Longer than a dead worker's job needs to be found and run again. */
const quietMs = 5_000;

/**
 * Waits until the service is healthy, its queue is empty, and a while longer.
 * @returns the problem: a part stayed unhealthy, or something happened although no client asked
 */
export async function drain(world: World): Promise<Violation[]> {
  const wrong: Violation[] = [];
  const unready = await unlessSoon(() => areReady(world.doors));
  if (unready)
    wrong.push({ kind: "queue", sentence: `Not ready ${patienceMs / 1000} s after all was well again.` });
  let waiting = {};
  const filled = await unlessSoon(async () => {
    waiting = await waitingJobs(world.redisUrl);
    return Object.keys(waiting).length === 0;
  });
  if (filled) wrong.push({ kind: "queue", sentence: `The queue is not empty: ${JSON.stringify(waiting)}.` });
  const before = await digest(world.sql);
  await Bun.sleep(quietMs);
  const after = await digest(world.sql);
  for (const [table, content] of Object.entries(before)) {
    if (content === after[table]) continue;
    wrong.push({
      kind: "late",
      sentence: `Something still changed ${table}, when nobody asked for anything any more.`,
    });
  }
  return wrong;
}

/** @returns true if the condition never held */
async function unlessSoon(isSo: () => Promise<boolean>): Promise<boolean> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    if (await isSo().catch(() => false)) return false;
    await Bun.sleep(100);
  }
  return true;
}

async function areReady(doors: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(
    doors.map((door) =>
      fetch(`${door}/health/ready`, { keepalive: false, signal: AbortSignal.timeout(5_000) }),
    ),
  );
  return answers.every(({ ok }) => ok);
}

/** The number of the queue's jobs in each state, without zeros. */
async function waitingJobs(redisUrl: string): Promise<Record<string, number>> {
  const connection = connectFailFast(redisUrl);
  // The connection refuses every command until it is open.
  await firstTry(connection);
  const queue = openQueue(commandQueue, { connection, queuePrefix: "kept" });
  try {
    await queue.waitUntilReady();
    const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized", "failed");
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

const tables = ["todos", "habits", "habit_completions", "categories", "action_log"];

async function digest(sql: SQL): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await sql.unsafe(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as content from ${table} t`,
    );
    contents[table] = row.content;
  }
  return contents;
}
