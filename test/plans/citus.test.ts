import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { readActions } from "../../api/queries/action.ts";
import { createQueryContext } from "../../api/queries/context.ts";
import { openQueryDatabase } from "../../api/queries/guard.ts";
import { read } from "../../api/queries/index.ts";
import { contracts } from "../../shared/contracts/catalogue.ts";
import { migrate } from "../../shared/db/migrate.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { openServerClock } from "../../shared/db/server-clock.ts";
import { startPostgres } from "../../shared/embedded/postgres.ts";
import { createLog } from "../../shared/process/log.ts";
import { createDispatch } from "../../shared/queue/client/dispatch.ts";
import { openMailbox } from "../../shared/queue/client/mailbox.ts";
import { pruneDeletions, pruneDeliveries, pruneImports } from "../../workers/upkeep/old-rows.ts";
import { type JsonBody, startStack } from "../harness.ts";
import { eventually } from "../reminders/support/stack.ts";
import { pretendCitus } from "../support/pretended-citus.ts";
import { failingReminder, type Run, runEveryCommand } from "./every-command.ts";
import { everyQuery } from "./every-query.ts";
import { createPlansDatabase } from "./large-database.ts";
import { logPlans, type PlanNode, type PlannedStatement, readPlans } from "./recorded-plans.ts";

/** A server of its own, because the plans are read from its log. It says that it is Citus. */
const folder = join(import.meta.dir, "../..", `data-test-citus-${process.pid}`);
const logFile = join(folder, "postgres.log");
const postgres = await startPostgres(folder);
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});
const databaseUrl = await createPlansDatabase(postgres.url);
await migrate(databaseUrl, "error");
const sql = new SQL(databaseUrl, { max: 1 });
await sql.unsafe(pretendCitus);
await sql.close();
await migrate(databaseUrl, "error");
await logPlans(databaseUrl);

const log = createLog("test", "silent");
const { config, rest } = await startStack({
  env: { DATABASE_URL: databaseUrl, WEBHOOK_ALLOW_LOOPBACK: "yes", LOG_LEVEL: "silent" },
});
const database = await openDatabase({ url: databaseUrl, log });
const mailbox = await openMailbox(config);
const clock = await openServerClock(database.pool);
let webhookAnswers = 0;
const webhook = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(null, { status: ++webhookAnswers > 1 ? 204 : 500 }),
});
afterAll(async () => {
  await mailbox.close();
  clock.close();
  await database.close();
  await webhook.stop(true);
});

const exercised = new Set<string>(["batch.run"]);
const dispatch = createDispatch(mailbox, database, clock);
const run: Run = async (name, input, { key: idempotencyKey } = {}) => {
  const requestId = Bun.randomUUIDv7();
  const by = { door: "rest", requestId, tokenId: "token", clientName: null } as const;
  const { outcome } = await dispatch({ userId: "ada" }, { name, input, idempotencyKey, by });
  if ("refusal" in outcome) throw new Error(`${name}: ${outcome.refusal.message}`);
  exercised.add(name);
  return outcome.body;
};
const { defaultTimeZone, baseUrl } = config;
const db = openQueryDatabase(database);
const query = createQueryContext({ db, userId: "ada", now: Date.now(), defaultTimeZone, baseUrl });

/** Only the last, because the reminder before it must ring. */
async function actions() {
  const found = await readActions(query, { undoable: true, limit: 1 });
  return found.actions.map(({ called_at, request_id }) => ({ called_at, request_id }));
}

let plans: readonly PlannedStatement[] = [];
beforeAll(async () => {
  await eventually(() => mailbox.ping());
  const failReminder = failingReminder(database.pool, "ada");
  await runEveryCommand(run, {
    webhookUrl: webhook.url.href,
    dueAt: Date.now() + 100,
    actions,
    failReminder,
  });
  await eventually(() => webhookAnswers > 1, 60_000);
  for (const { name, input } of everyQuery()) {
    await read(name, query, input);
    exercised.add(name);
  }
  await pruneDeliveries(database);
  await pruneDeletions(database);
  await pruneImports(database);
  await run("user.delete", {});
  await Bun.sleep(500);
  plans = readPlans(logFile);
}, 240_000);

/** Statements that look at all users: the time of reminders, open long work, and upkeep. Each is one table without locks. */
const acrossUsers = [
  /^\s*select r\.user_id from reminders r\s+where r\.status = 'scheduled'/,
  /^\s*select user_id from reminder_deliveries\s+where finished_at is null/,
  /^select user_id from works where ended_at is null/,
  /^delete from (reminder_deliveries|deletions|import_parts|works) where (created|deleted|ended)_at </,
];

/** The tables that stay on the server that is asked. */
const local = /^(pg_|keyless_replies$|deleted_users$|change_horizon$|mikro_orm_)/;

/** The scans of rows of users that do not name one user. */
function scansWithoutUser(node: PlanNode): string[] {
  const {
    "Node Type": type,
    "Relation Name": table,
    "Index Cond": condition = "",
    Filter: filter = "",
  } = node;
  const below = (node.Plans ?? []).flatMap(scansWithoutUser);
  if (table === undefined || local.test(table) || type === "ModifyTable") return below;
  const conditions = `${condition} ${filter} ${node["Recheck Cond"] ?? ""}`;
  return /\buser_id = (\$\d|'[^']*'::text)/.test(conditions) ? below : [`${type} of ${table}`, ...below];
}

const unnamed = (found: readonly PlannedStatement[]): string[] =>
  found
    .filter(({ text }) => !acrossUsers.some((pattern) => pattern.test(text)))
    .flatMap(({ text, plan }) => scansWithoutUser(plan).map((scan) => `${scan}, in: ${text}`));

test("every command and query of the catalogue was run", () => {
  expect(contracts.map(({ name }) => name).filter((name) => !exercised.has(name))).toEqual([]);
});

test("on Citus every statement names one user, but for those that look at all", () => {
  expect(plans.length).toBeGreaterThan(200);
  expect(unnamed(plans)).toEqual([]);
});

test("on Citus no statement names a row by its place, or a transaction by its number", () => {
  const texts = plans.map(({ text }) => text);
  expect(texts.filter((text) => /\bctid\b|pg_current_xact_id|pg_current_snapshot/.test(text))).toEqual([]);
});

test("a statement about several users is noticed", async () => {
  const before = readPlans(logFile).length;
  await database.pool.query("select id from todos where user_id = any($1::text[])", [["ada", "bob"]]);
  await eventually(() => readPlans(logFile).length > before);
  expect(unnamed(readPlans(logFile).slice(before))).toEqual([expect.stringMatching(/todos/)]);
});

test("copies are refused, by a sentence that says why", async () => {
  const { status, body } = await rest("GET", "/changes");
  const document: JsonBody = await (await fetch(`${config.baseUrl}/openapi.json`)).json();
  const { paths, components } = document;
  expect(paths["/changes"].get.responses[status]).toEqual({ $ref: "#/components/responses/ChangesNotTold" });
  expect(body).toEqual(
    components.responses.ChangesNotTold.content["application/json"].examples.refused.value,
  );
});
