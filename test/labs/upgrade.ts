import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { migrate } from "../../workers/upkeep/migrate.ts";
import { callRest } from "../harness.ts";
import { startRoles } from "../support/chaos/roles.ts";
import { query } from "../support/reminder/stack.ts";
import { startServices } from "../support/servers/services.ts";
import { checkOut, ownRoot, startSubject } from "./bench/subject.ts";
import { runLab, wholeNumber } from "./terminal.ts";

const [clientCount, perUser, aroundMs, longestWaitMs] = [10, 20, 3_000, 1_000];

type Step = Readonly<{ kind: string; method: string; path: string; body?: object }>;
const steps: readonly Step[] = [
  { kind: "create", method: "POST", path: "/todos", body: { title: "Written" } },
  { kind: "list", method: "GET", path: "/todos" },
  { kind: "dashboard", method: "GET", path: "/dashboard" },
];

/**
 * `npm run lab -- upgrade --from COMMIT --todos 300000`: migrates the database of an older commit whose processes serve ten
 * clients, replaces the processes, and prints how long any request was refused.
 */
async function upgrade(from: string, todos: number): Promise<boolean> {
  const services = await startServices();
  const { root, remove } = await checkOut(from);
  await installPackages(root);
  const subject = await startSubject(root, services, { users: Math.ceil(todos / perUser) });
  const { databaseUrl } = subject;
  await fillLog(databaseUrl, 2 * todos);
  const countTodos = async (): Promise<number> =>
    (await query(databaseUrl, "select count(*)::int as count from todos"))[0].count;
  const before = await countTodos();
  const door = { baseUrl: `http://127.0.0.1:${subject.port}` };
  const tokens = subject.callers.slice(0, clientCount).map(({ token }) => token);
  const load = startLoad(tokens, door);
  await Bun.sleep(aroundMs);

  console.log(`\nfrom ${from}, ${before} todos, ${clientCount} clients`);
  const env = {
    ...process.env,
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: services.redisUrl, QUEUE_PREFIX: subject.queuePrefix },
    ...{ BASE_URL: door.baseUrl, AUTH_URL: subject.issuerUrl ?? "" },
    ...{ RATE_LIMIT_PER_MINUTE: "0", LOG_LEVEL: "silent" },
  };
  console.log(await Bun.$`${process.execPath} workers/upkeep/migrate.ts --plan`.cwd(ownRoot).env(env).text());
  const begun = performance.now();
  await migrate(databaseUrl, "warn", { report: console.log });
  console.log(`migrated in ${seconds(performance.now() - begun)}`);
  const next = await startRoles({ env });
  const isOldSwift = load.report("until the new processes");
  door.baseUrl = next.baseUrls[0] ?? "";
  await subject.stopWorkers();
  await Bun.sleep(aroundMs);
  const made = await load.stop();
  const isNewSwift = load.report("with them");
  const stored = (await countTodos()) - before;
  console.log(`${made} todos acknowledged, ${stored} stored`);
  await Promise.all([next.stop(), subject.stop()]);
  await remove();
  await services.stop();
  return isOldSwift && isNewSwift && made === stored;
}

/** An older commit may need packages that this one has no more. Bun, which a script would install, is the one of this commit. */
async function installPackages(root: string): Promise<void> {
  const packages = join(root, "node_modules");
  rmSync(packages);
  await Bun.$`npm ci --omit=dev --ignore-scripts --prefer-offline`.cwd(root).quiet();
  rmSync(join(packages, "bun"), { recursive: true });
  symlinkSync(join(ownRoot, "node_modules/bun"), join(packages, "bun"));
}

/** Calls of the last day, for which every commit has a partition. */
async function fillLog(url: string, calls: number): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql`
    insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
    select (1000000 + n / 40)::text, gen_random_uuid(), 'token', 'create-todo', '{"title":"Answer the letter"}', 'ok', false,
      now() - n * interval '100 milliseconds', 3
    from generate_series(0, ${calls - 1}::int) n`;
  await sql`analyze`;
  await sql.close();
}

/** Each client repeats a request until it is served, a change under the same key. */
function startLoad(tokens: readonly string[], door: { baseUrl: string }) {
  let isOver = false;
  let made = 0;
  const longestMs: Record<string, number> = {};
  const loops = tokens.map(async (token) => {
    for (let sent = 0; !isOver; sent++) {
      const { kind, method, path, body } = steps[sent % steps.length] as Step;
      const since = performance.now();
      const headers = { "idempotency-key": crypto.randomUUID() };
      const isServed = () =>
        callRest(door, method, path, { token, ...(body && { body, headers }) }).then(
          ({ status }) => status < 300,
          () => false,
        );
      while (!(await isServed())) await Bun.sleep(20);
      longestMs[kind] = Math.max(longestMs[kind] ?? 0, performance.now() - since);
      if (kind === "create") made += 1;
      await Bun.sleep(20);
    }
  });
  return {
    /** @returns the number of todos made */
    async stop(): Promise<number> {
      isOver = true;
      await Promise.all(loops);
      return made;
    },
    /** Prints the longest time until a request was served, by kind, and forgets it. */
    report(when: string): boolean {
      const told = Object.entries(longestMs).map(([kind, ms]) => `${kind} ${seconds(ms)}`);
      console.log(`longest wait ${when}: ${told.join(", ")}`);
      const isSwift = Object.values(longestMs).every((ms) => ms <= longestWaitMs);
      for (const kind of Object.keys(longestMs)) delete longestMs[kind];
      return isSwift;
    },
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

const { values } = parseArgs({
  options: { from: { type: "string", default: "HEAD~1" }, todos: { type: "string", default: "300000" } },
});
await runLab(() => upgrade(values.from, wholeNumber("todos", values.todos, 1)));
