import { join } from "node:path";
import { SQL } from "bun";
import { readActions } from "../../api/queries/action.ts";
import { createQueryContext } from "../../api/queries/context.ts";
import { openQueryDatabase } from "../../api/queries/guard.ts";
import { read } from "../../api/queries/index.ts";
import { migrate } from "../../shared/db/migrate.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { openServerClock } from "../../shared/db/server-clock.ts";
import { startRedis } from "../../shared/embedded/redis.ts";
import { loadConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/log.ts";
import { createDispatch } from "../../shared/queue/client/dispatch.ts";
import { openMailbox } from "../../shared/queue/client/mailbox.ts";
import { pruneDeletions, pruneDeliveries, pruneImports } from "../../workers/upkeep/old-rows.ts";
import { dropPartitions, keptFor, makePartitions } from "../../workers/upkeep/partitions.ts";
import { callDoors } from "../chaos/world.ts";
import { writeUntil } from "../chaos/writer.ts";
import { agent } from "../mcp/support.ts";
import { failingReminder, type Run, runEveryCommand } from "../plans/every-command.ts";
import { everyQuery } from "../plans/every-query.ts";
import { eventually } from "../reminders/support/stack.ts";
import { startRoles } from "../support/roles.ts";

const [databaseUrl = "", seconds = "5"] = process.argv.slice(2);
if (databaseUrl === "") throw new Error("npm run citus -- postgres://user@coordinator/database [seconds]");

/** Says what held, and ends with 1 if anything did not. */
function check(what: string, found: unknown, expected: unknown): void {
  const holds = Bun.deepEquals(found, expected);
  console.log(`${holds ? "ok    " : "NOT ok"} ${what}${holds ? "" : `: ${JSON.stringify(found)}`}`);
  if (!holds) process.exitCode = 1;
}

const log = createLog("citus", "error");
const folder = join(import.meta.dir, "../..", `data-test-citus-run-${process.pid}`);
await migrate(databaseUrl, "error");
const database = await openDatabase({ url: databaseUrl, log, connections: 2 });
check("the server says that it is Citus", database.engine, "citus");
const redis = await startRedis(folder);
const received: string[] = [];
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { data } = (await request.json()) as { data: { todo: { title: string } | null } };
    received.push(data.todo?.title ?? "test");
    return new Response(null, { status: 204 });
  },
});
const roles = await startRoles({
  env: {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: "0",
    WEBHOOK_ALLOW_LOOPBACK: "yes",
    LOG_LEVEL: "error",
  },
  apis: 2,
  workers: 2,
});
const run = crypto.randomUUID().slice(0, 8);
const tokenOf = (name: string) => roles.issuer.token({ sub: `${name} ${run}` });
const sql = new SQL(databaseUrl, { max: 2 });

const config = loadConfig({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url });
const mailbox = await openMailbox(config);
const clock = await openServerClock(database.pool);
const dispatch = createDispatch(mailbox, database, clock);

const runAs =
  (name: string): Run =>
  async (command, input, { key: idempotencyKey } = {}) => {
    const requestId = Bun.randomUUIDv7();
    const by = { door: "rest", requestId, tokenId: "token", clientName: null } as const;
    const request = { name: command, input, idempotencyKey, by };
    const { outcome } = await dispatch({ userId: `${name} ${run}` }, request);
    if ("refusal" in outcome) throw new Error(`${command}: ${outcome.refusal.message}`);
    return outcome.body;
  };

/** Every command and every query of the catalogue, undoing and its reminder included; then the account is deleted. */
async function everything(): Promise<void> {
  await eventually(() => mailbox.ping(), 20_000);
  const { defaultTimeZone, baseUrl } = config;
  const db = openQueryDatabase(database);
  const queryOf = (name: string) =>
    createQueryContext({ db, userId: `${name} ${run}`, now: Date.now(), defaultTimeZone, baseUrl });

  /** @returns why it failed, or nothing */
  async function life(name: string, mostUndone: number): Promise<string> {
    const actions = async () => {
      const found = await readActions(queryOf(name), { undoable: true, limit: mostUndone });
      return found.actions.map(({ called_at, request_id }) => ({ called_at, request_id }));
    };
    const failReminder = failingReminder(database.pool, `${name} ${run}`);
    const target = { webhookUrl: receiver.url.href, dueAt: Date.now() + 1_000, actions, failReminder };
    return runEveryCommand(runAs(name), target).then(
      () => "",
      (error: Error) => error.message,
    );
  }

  // One undoes all of it, the other only the end of a category, whose members no command has loaded then.
  const failed = [await life("ada", 100), await life("amy", 1)].join("");
  const userId = `ada ${run}`;
  const query = queryOf("ada");
  check("every command, undoing included", failed, "");
  const refused = new Set<string>();
  const queries = everyQuery();
  for (const { name, input } of queries)
    await read(name, query, input).catch((error: Error) => refused.add(`${name}: ${error.message}`));
  check(`every query, in ${queries.length} forms`, [...refused], []);
  await runAs("ada")("user.delete", {});
  const [{ left }] = await sql`
    select sum(n)::int as left from (
      select count(*) as n from todos where user_id = ${userId} union all
      select count(*) from habits where user_id = ${userId} union all
      select count(*) from action_log where user_id = ${userId} union all
      select count(*) from inbox where user_id = ${userId}) rows`;
  check("a deleted account leaves no row", left, 0);
}

async function reminders(): Promise<void> {
  const users = ["bob", "cleo", "dan"];
  for (const user of users) {
    const act = runAs(user);
    const settings = { time_zone: "UTC", reminder_channel: "webhook", webhook_url: receiver.url.href };
    await act("user.configure", settings);
    const { id: todo_id } = await act("todo.create", { title: user });
    await act("reminder.set", { todo_id, remind_at: new Date(Date.now() + 2_000).toISOString() });
  }
  const rung = () => received.filter((title) => users.includes(title)).toSorted();
  await eventually(() => rung().length >= users.length, 20_000).catch(() => {});
  await Bun.sleep(1_000);
  check("reminders of three users ring once each", rung(), users);
}

async function overTheDoors(): Promise<void> {
  const call = callDoors(roles.baseUrls, await tokenOf("eve"));
  const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status;
  const { id: category_id } = (await call("POST", "/categories", { body: { name: "Home" } })).body;
  const { id: todo } = (await call("POST", "/todos", { body: { title: "Pay rent", category_id } })).body;
  const paths = ["/dashboard", "/me", "/todos?q=rent", "/habits", "/categories", `/todos/${todo}`];
  const reads = await Promise.all(paths.map((path) => statusOf("GET", path)));
  check("reads over REST", [...new Set(reads)], [200]);
  check("copies are refused", await statusOf("GET", "/changes"), 404);
  check("a category is deleted", await statusOf("DELETE", `/categories/${category_id}`), 204);
  check("what was in it stays", (await call("GET", `/todos/${todo}`)).body.category, null);
  const batch = { operations: [{ method: "POST", path: "/todos", body: { title: "One of a batch" } }] };
  check("a batch request", await statusOf("POST", "/batch", { body: batch }), 200);
  const door = { config: { baseUrl: roles.baseUrls[0] ?? "" }, issuer: roles.issuer };
  const tools = await agent(door, { sub: `eve ${run}` });
  check("an agent's change", (await tools.call("create-todo", { title: "By an agent" })).isError, false);
  check("an agent's read", (await tools.call("get-pending-todos")).isError, false);
}

async function upkeep(): Promise<void> {
  const writes = await openDatabase({ url: databaseUrl, log, purpose: "writes", connections: 1 });
  const kept = keptFor(400);
  await makePartitions(writes.pool, kept, "20 minutes");
  await dropPartitions(writes, log, kept);
  const left = await sql`select name from list_partitions('inbox')
    where kind = 'keyless' and upper < now() - interval '15 minutes'`;
  const ahead = await sql`select name from list_partitions('inbox')
    where kind = 'keyless' and upper > now() + interval '1 hour'`;
  check("upkeep drops old partitions and makes new ones", [left.length, ahead.length > 0], [0, true]);
  await pruneDeliveries(writes);
  await pruneDeletions(writes);
  await pruneImports(writes);
  await writes.close();
}

async function writers(): Promise<void> {
  let over = false;
  const calls = await Promise.all(
    Array.from({ length: 6 }, async (_, writer) =>
      callDoors(roles.baseUrls, await tokenOf(`writer ${writer}`)),
    ),
  );
  const writing = calls.map((call, writer) => writeUntil(call, writer, () => over));
  await Bun.sleep(Number(seconds) * 1_000);
  over = true;
  const written = await Promise.all(writing);
  const rows =
    await sql`select title from todos where user_id like ${`writer _ ${run}`} and title not like 'own of%'`;
  const titles = rows.map(({ title }: { title: string }) => title).sort();
  const created = written.flatMap((one) => one.created).sort();
  const toggles = written.reduce((sum, { toggled }) => sum + toggled.length, 0);
  check(`${created.length} todos of six writers in ${seconds} s are there, once each`, titles, created);
  const wrong = written.filter(({ toggled }) => toggled.some((state, index) => state !== (index % 2 === 0)));
  check(`${toggles} toggles happened once each`, wrong.length, 0);
  check(
    "no wrong answer",
    written.flatMap((one) => one.wrong),
    [],
  );
}

async function spread(): Promise<void> {
  const [{ servers }] =
    await sql`select count(distinct nodename || nodeport)::int as servers from citus_shards
    where table_name = 'todos'::regclass`;
  console.log(`       rows of todos lie on ${servers} servers`);
}

await overTheDoors();
await everything();
await reminders();
await upkeep();
await writers();
await spread();
await mailbox.close();
clock.close();
await roles.stop();
await receiver.stop(true);
await sql.close();
await database.close();
await redis.stop();
await Bun.$`rm -rf ${folder}`;
