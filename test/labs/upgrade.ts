import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { migrate } from "../../workers/upkeep/migrate.ts";
import { callRest } from "../harness.ts";
import { startRoles } from "../support/chaos/roles.ts";
import { startServices } from "../support/servers/services.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./bench/subject.ts";

/**
 * `npm run lab -- upgrade --from COMMIT --todos 300000`: migrates the database of an older commit whose processes serve ten
 * clients, replaces the processes, and prints how long any request was refused.
 */
const { values } = parseArgs({
  options: {
    from: { type: "string", multiple: true, default: ["bb80980", "d78e3a6"] },
    todos: { type: "string", default: "300000" },
  },
});
const [clientCount, perUser, aroundMs] = [10, 20, 3_000];

type Client = Readonly<{ token: string; longest: Record<string, number>; made: { count: number } }>;

type Step = Readonly<{ kind: string; method: string; path: string; body?: object }>;
const steps: readonly Step[] = [
  { kind: "create", method: "POST", path: "/todos", body: { title: "Written" } },
  { kind: "list", method: "GET", path: "/todos" },
  { kind: "dashboard", method: "GET", path: "/dashboard" },
];

const services = await startServices();
for (const commit of values.from) await upgradeFrom(commit);
await services.stop();
process.exit();

async function upgradeFrom(commit: string): Promise<void> {
  const { root, remove } = await checkOut(commit);
  await installPackages(root);
  const subject = await startSubject(root, services, { users: Math.ceil(Number(values.todos) / perUser) });
  await fillLog(subject.databaseUrl);
  const before = await countTodos(subject.databaseUrl);
  const door = { baseUrl: `http://127.0.0.1:${subject.port}` };
  const clients = subject.callers
    .slice(0, clientCount)
    .map(({ token }): Client => ({ token, longest: {}, made: { count: 0 } }));
  const load = startLoad(clients, door);
  await Bun.sleep(aroundMs);

  const begun = performance.now();
  console.log(`\nfrom ${commit}, ${before} todos, ${clientCount} clients`);
  console.log(
    await Bun.$`${process.execPath} workers/upkeep/migrate.ts --plan`.cwd(ownRoot).env(envOf(subject)).text(),
  );
  await migrate(subject.databaseUrl, "warn", { report: console.log });
  console.log(`migrated in ${seconds(performance.now() - begun)}`);
  report("while old processes serve", clients, load.underWay());
  const next = await startRoles({
    env: { ...envOf(subject), BASE_URL: door.baseUrl, AUTH_URL: subject.issuerUrl ?? "" },
  });
  door.baseUrl = next.baseUrls[0] ?? "";
  await subject.stopWorkers();
  await Bun.sleep(aroundMs);
  await load.stop();
  report("with the new ones", clients, []);
  const made = clients.reduce((sum, client) => sum + client.made.count, 0);
  const stored = (await countTodos(subject.databaseUrl)) - before;
  console.log(`${made} todos acknowledged, ${stored} stored`);
  if (made !== stored) process.exitCode = 1;
  await Promise.all([next.stop(), subject.stop()]);
  await remove();
}

/** An older commit may need packages that this one has no more. Bun, which a script would install, is the one of this commit. */
async function installPackages(root: string): Promise<void> {
  const packages = join(root, "node_modules");
  rmSync(packages);
  await Bun.$`npm ci --omit=dev --ignore-scripts --prefer-offline`.cwd(root).quiet();
  rmSync(join(packages, "bun"), { recursive: true });
  symlinkSync(join(ownRoot, "node_modules/bun"), join(packages, "bun"));
}

function envOf({ databaseUrl, queuePrefix }: Subject) {
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    REDIS_URL: services.redisUrl,
    QUEUE_PREFIX: queuePrefix,
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "silent",
  };
}

/** Two calls of the log for each todo, all of the last day, for which every commit has a partition. */
async function fillLog(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql`
    insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
    select (1000000 + n / 40)::text, gen_random_uuid(), 'token', 'create-todo', '{"title":"Answer the letter"}', 'ok', false,
      now() - n * interval '100 milliseconds', 3
    from generate_series(0, ${2 * Number(values.todos) - 1}::int) n`;
  await sql`analyze`;
  await sql.close();
}

async function countTodos(url: string): Promise<number> {
  const sql = new SQL(url, { max: 1 });
  const [row] = await sql`select count(*)::int as count from todos`;
  await sql.close();
  return row.count;
}

/** Each client repeats a request until it is served, a change under the same key. */
function startLoad(clients: readonly Client[], door: { baseUrl: string }) {
  let isOver = false;
  const waiting = new Map<Client, { kind: string; since: number }>();
  async function send(client: Client, { kind, method, path, body }: Step): Promise<void> {
    const since = performance.now();
    waiting.set(client, { kind, since });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const call = { token: client.token, ...(body && { body, headers }) };
    const isServed = () =>
      callRest(door, method, path, call).then(
        ({ status }) => status < 300,
        () => false,
      );
    while (!(await isServed())) await Bun.sleep(20);
    waiting.delete(client);
    client.longest[kind] = Math.max(client.longest[kind] ?? 0, performance.now() - since);
    if (kind === "create") client.made.count += 1;
  }
  const loops = clients.map(async (client) => {
    for (let sent = 0; !isOver; sent++) {
      await send(client, steps[sent % steps.length] as Step);
      await Bun.sleep(20);
    }
  });
  return {
    underWay: () => [...waiting.values()],
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

/** Prints the longest time until a request was served, by kind, and forgets it. */
function report(
  when: string,
  clients: readonly Client[],
  waiting: readonly { kind: string; since: number }[],
): void {
  const told = steps.map(({ kind }) => {
    const served = clients.map(({ longest }) => longest[kind] ?? 0);
    const open = waiting
      .filter((request) => request.kind === kind)
      .map(({ since }) => performance.now() - since);
    const longestMs = Math.max(...served, ...open);
    if (longestMs > 1_000) process.exitCode = 1;
    return `${kind} ${seconds(longestMs)}`;
  });
  console.log(`longest wait ${when}: ${told.join(", ")}`);
  for (const { longest } of clients) for (const kind of Object.keys(longest)) delete longest[kind];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
