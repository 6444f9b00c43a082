import type { SQL } from "bun";
import { connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { eventually } from "../../support/reminder/stack.ts";
import type { Violation } from "./evidence.ts";
import type { World } from "./world.ts";

const patienceMs = 20_000;
/** Longer than a dead worker's job needs to be found and run again. */
const quietMs = 5_000;

/**
 * Waits until the service is healthy, its queue is empty, and a while longer.
 * @returns the problem: a part stayed unhealthy, or something happened although no client asked
 */
export async function drain({ doors, redisUrl, sql }: World): Promise<Violation[]> {
  const wrong: Violation[] = [];
  if (!(await isSoon(() => areReady(doors))))
    wrong.push({ kind: "queue", sentence: `Not ready ${patienceMs / 1000} s after all was well again.` });
  let waiting = {};
  const isEmpty = await isSoon(async () => {
    waiting = await waitingJobs(redisUrl);
    return Object.keys(waiting).length === 0;
  });
  if (!isEmpty)
    wrong.push({ kind: "queue", sentence: `The queue is not empty: ${JSON.stringify(waiting)}.` });
  const before = await digest(sql);
  await Bun.sleep(quietMs);
  const after = await digest(sql);
  const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
  const late = changed.map((table): Violation => {
    return { kind: "late", sentence: `Something still changed ${table}, when nobody asked for anything.` };
  });
  return [...wrong, ...late];
}

const isSoon = (isSo: () => Promise<boolean>): Promise<boolean> =>
  eventually(() => isSo().catch(() => false), patienceMs).catch(() => false);

async function areReady(doors: readonly string[]): Promise<boolean> {
  const init = { keepalive: false, signal: AbortSignal.timeout(5_000) };
  const answers = await Promise.all(doors.map((door) => fetch(`${door}/health/ready`, init)));
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
