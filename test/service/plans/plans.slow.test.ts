import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { listSubjects } from "../../../api/cli/subjects.ts";
import { createDispatch } from "../../../api/mailbox/dispatch.ts";
import { createDispatchGroup, type GroupedOperation } from "../../../api/mailbox/dispatch-group.ts";
import { openMailbox } from "../../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../../api/mailbox/server-clock.ts";
import { isLogged, readActions } from "../../../api/queries/action/read.ts";
import { createQueryContext, type QueryContext } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase, type QueryDatabase } from "../../../api/queries/engine/guard.ts";
import { read } from "../../../api/queries/index.ts";
import {
  readComingReminders,
  readPastDeliveries,
  readReminderTarget,
} from "../../../api/queries/reminder/deliveries.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { takeDueReminders } from "../../../workers/reminder/due/due.ts";
import { describeTables, effects, views } from "../../../workers/unit-of-work/tables.ts";
import { countAccounts, countSoon } from "../../../workers/upkeep/account-bytes.ts";
import { sweepDeletedUsers } from "../../../workers/upkeep/deleted-users.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import {
  pruneApprovals,
  pruneDeletions,
  pruneDeliveries,
  pruneImports,
} from "../../../workers/upkeep/old-rows.ts";
import { dropPartitions, keptFor, makePartitions } from "../../../workers/upkeep/partitions.ts";
import { startStack } from "../../harness.ts";
import { userAt } from "../../labs/bench/seed.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { throwaway } from "../../support/servers/services.ts";
import { byDatabase, type Run, runEveryCommand } from "./every-command.ts";
import { readEveryPage } from "./every-page.ts";
import { everyQuery } from "./every-query.ts";
import { createPlansDatabase, fillDatabase } from "./large-database.ts";
import {
  logPlans,
  type PlannedStatement,
  readLeadingColumns,
  readPlans,
  wholeScans,
} from "./recorded-plans.ts";

/** A server of its own, because the plans are read from its log. */
const folder = join(import.meta.dir, "../../..", `data-test-plans-${process.pid}`);
const logFile = join(folder, "postgres.log");
const postgres = await startPostgres(folder, undefined, { settings: throwaway });
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const databaseUrl = await createPlansDatabase(postgres.url);
const urls = roleUrlsOf(databaseUrl);
await migrate(databaseUrl, "error", { roleUrls: urls });
const log = createLog("test", "silent");
const { config } = await startStack({
  env: { DATABASE_URL: databaseUrl, WEBHOOK_ALLOW_LOOPBACK: "yes", LOG_LEVEL: "silent" },
});
const reads = await openDatabase({ url: urls.door, log });
const writes = await openDatabase({ url: urls.worker, log, purpose: "writes" });
const ofOwner = await openDatabase({ url: databaseUrl, log });
const mailbox = await openMailbox(config, reads.pool);
const clock = await openServerClock(reads.pool);
afterAll(async () => {
  await mailbox.close();
  clock.close();
  await Promise.all([reads.close(), writes.close(), ofOwner.close()]);
});

/**
 * The receiver answers after the worker has renewed its lease, and first with an error, so that the failure is
 * counted.
 */
let webhookAnswers = 0;
const webhook = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch() {
    await Bun.sleep(6_000);
    webhookAnswers += 1;
    return new Response(null, { status: webhookAnswers > 1 ? 204 : 500 });
  },
});
afterAll(() => webhook.stop(true));

const exercised = new Set<string>();
const dispatch = createDispatch(mailbox, reads, clock);

const scriptBy = { door: "rest", tokenId: "token", clientName: null } as const;

const runAs =
  (userId: string): Run =>
  async (name, input, { key: idempotencyKey } = {}) => {
    const by = { ...scriptBy, requestId: Bun.randomUUIDv7() };
    const { outcome } = await dispatch({ userId }, { name, input, idempotencyKey, by });
    if ("refusal" in outcome) throw new Error(`${name}: ${outcome.refusal.message}`);
    exercised.add(name);
    return outcome.body;
  };

const actionsOf = (userId: string) => async () => {
  const { actions } = await readActions(queryOf(userId), { undoable: true, limit: 100 });
  return actions.map(({ called_at, request_id }) => ({ called_at, request_id }));
};

/** Statements of reads with their last values. */
const asked = new Map<string, Parameters<QueryDatabase["run"]>>();
const opened = openQueryDatabase(reads);
const db: QueryDatabase = {
  ...opened,
  run(...read) {
    const [, { text }, manner] = read;
    if (!manner?.alone || !asked.has(text)) asked.set(text, read);
    return opened.run(...read);
  },
};

function queryOf(userId: string): QueryContext {
  const { defaultTimeZone, baseUrl } = config;
  return createQueryContext({ db, userId, now: Date.now(), defaultTimeZone, baseUrl });
}

async function runEveryQuery(): Promise<void> {
  const query = queryOf(userAt(0));
  for (const { name, input } of everyQuery()) {
    await read(name, query, input);
    exercised.add(name);
  }
  for (const readReminders of [readComingReminders, readPastDeliveries, readReminderTarget])
    await readReminders(query);
  await readEveryPage(query);
  await isLogged(query, { requestId: Bun.randomUUIDv7(), startedAt: Date.now() });
}

/** The first two of six simultaneous reads travel alone, and the others together. */
async function readTogether(): Promise<void> {
  for (const [, ...read] of asked.values())
    await Promise.all(Array.from({ length: 6 }, () => opened.run(crypto.randomUUID(), ...read)));
}

/** A group whose operations refer to one another, and the look-up of its replies. */
async function runGroups(userId: string): Promise<void> {
  const lostReplies = { ...mailbox, send: async () => "unanswered" as const };
  const operations: GroupedOperation[] = [
    { index: 0, name: "todo.create", input: { title: "Write" }, references: {}, after: [] },
    { index: 1, name: "todo.toggle", input: {}, references: { todo_id: 0 }, after: [0] },
  ];
  const request = { atomic: false, operations, idempotencyKey: "group" };
  for (const box of [mailbox, lostReplies]) {
    const ends = await createDispatchGroup(box, reads, clock)({ userId }, request);
    expect(ends).toMatchObject([{ outcome: { body: {} } }, { outcome: { body: { is_completed: true } } }]);
  }
  exercised.add("batch.run");
}

/** Rare reads: lost replies, the terminal's list of users, and upkeep. */
async function runTheRest(): Promise<void> {
  const lostReplies = { ...mailbox, send: async () => "unanswered" as const };
  await createDispatch(lostReplies, reads, clock)({ userId: userAt(1) }, { name: "user.delete", input: {} });
  await listSubjects(openQueryDatabase(ofOwner));
  const kept = keptFor(config.actionLogDays);
  await makePartitions(writes.pool, kept);
  await dropPartitions(writes, log, kept);
  await pruneDeliveries(writes);
  await pruneApprovals(writes);
  await pruneDeletions(writes);
  await pruneImports(writes);
  await sweepDeletedUsers(writes.pool);
  await countSoon(writes.pool, userAt(1));
  await countAccounts(writes, [userAt(1)]);
  for (const table of Object.values(describeTables(writes.orm)))
    for (const [kind, text] of Object.entries(table.sql)) {
      // Partitioned tables only get inserts.
      if (/^(update|upsert)$/.test(kind) && table.name === "inbox") continue;
      // No command removes rows of these tables.
      if (kind === "remove" && ["action_images", "approvals", "import_keys"].includes(table.name)) continue;
      const none: unknown[] = /^(insert|upsert|update)$/.test(kind) ? ["[]"] : table.key.map(() => []);
      await writes.pool.query(text, /^(allForUpdate|readAll)$/.test(kind) ? [[]] : none);
    }
  for (const { key, read } of Object.values(views))
    await writes.pool.query(
      read,
      key.map(() => []),
    );
  for (const { statement } of Object.values(effects))
    if (statement) await writes.pool.query(statement, ["[]"]);
}

/** A metric counts the bytes of all accounts, which the workers measure once an hour. */
const isOfAllAccounts = ({ text }: PlannedStatement): boolean => text.endsWith("from account_bytes");

function scansOf(plans: readonly PlannedStatement[]): string[] {
  return plans
    .filter((planned) => !isOfAllAccounts(planned))
    .flatMap(({ text, plan }) =>
      wholeScans(plan, leadingColumns).map((scan) => `${scan}, in: ${text.replaceAll(/\s+/g, " ").trim()}`),
    );
}

let plans: PlannedStatement[] = [];
let leadingColumns: ReadonlyMap<string, string> = new Map();

beforeAll(async () => {
  // The first rows of tables that are filled by copies.
  await eventually(() => mailbox.ping());
  const dueAt = Date.parse("2099-01-01");
  const targetOf = (user: string) => ({ webhookUrl: webhook.url.href, ...byDatabase(writes.pool, user) });
  await runEveryCommand(runAs("first"), { ...targetOf("first"), dueAt, actions: actionsOf("first") });
  await fillDatabase(databaseUrl);
  // Before partitions are dropped with their indexes.
  leadingColumns = await readLeadingColumns(databaseUrl);
  await logPlans(databaseUrl);
  // After this time every process has noticed that the old connections are lost.
  await Bun.sleep(1_000);
  await eventually(() => mailbox.ping());
  exercised.clear();
  webhookAnswers = 0;
  await runEveryQuery();
  await readTogether();
  // The first user's life has undone everything; here the reminder must ring.
  const actions = async () => (await actionsOf(userAt(0))()).slice(0, 1);
  const target = { ...targetOf(userAt(0)), dueAt: Date.now() + 100, actions };
  await runEveryCommand(runAs(userAt(0)), target);
  await runGroups(userAt(0));
  await runTheRest();
  await runAs(userAt(2))("user.delete", {});
  // A tick checks these habits again, and finds another time for each.
  const dueHabits = "update habits set rings_at = now() where user_id = $1 returning id";
  expect((await writes.pool.query(dueHabits, [userAt(3)])).rows.length).toBeGreaterThan(0);
  const dueDigests =
    "update users set digest = 'daily', digest_at = now() where user_id = $1 returning user_id";
  expect((await writes.pool.query(dueDigests, [userAt(3)])).rows.length).toBeGreaterThan(0);
  await eventually(() => webhookAnswers > 1, 20_000);
  // The results of deliveries are written after them.
  await Bun.sleep(1_000);
  plans = readPlans(logFile);
}, 240_000);

test("every command and query of the catalogue was run", () => {
  expect(contracts.map(({ name }) => name).filter((name) => !exercised.has(name))).toEqual([]);
});

test("every read was run alone, and together with others unless it searches, or its LIMIT or OFFSET is a value", () => {
  const texts = plans.map(({ text }) => text);
  const reads = [...asked.keys()];
  const isCoalesced = (text: string) => {
    const lateral = text.replace(/\$(\d+)/g, "k.p$1");
    return texts.some((other) => other !== text && other.includes(lateral));
  };
  expect(reads.length).toBeGreaterThan(100);
  expect(reads.filter((text) => !texts.includes(text))).toEqual([]);
  const travelsAlone = (text: string) => asked.get(text)?.[2]?.alone || /\b(limit|offset) \$/.test(text);
  expect(reads.filter((text) => !isCoalesced(text) && !travelsAlone(text))).toEqual([]);
});

test("no statement reads a whole table or index of users' rows", () => {
  expect(scansOf(plans)).toEqual([]);
});

test("a missing index is noticed", async () => {
  const before = readPlans(logFile).length;
  await ofOwner.pool.query("drop index reminders_due");
  await takeDueReminders({ database: writes, travel: "0" }, 100);
  const scans = scansOf(readPlans(logFile).slice(before));
  expect(scans.join()).toMatch(/reminders/);
});
