import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { listSubjects } from "../../../api/cli/action-log.ts";
import { createDispatch, createDispatchGroup, type GroupedOperation } from "../../../api/mailbox/dispatch.ts";
import { openMailbox } from "../../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../../api/mailbox/server-clock.ts";
import { isLogged, readActions } from "../../../api/queries/action/read.ts";
import { countUnseenRuns } from "../../../api/queries/action/runs.ts";
import { readDay, readPlaces } from "../../../api/queries/dashboard/read.ts";
import {
  createQueryContext,
  openQueryDatabase,
  type QueryContext,
  type QueryDatabase,
  readDaySettings,
} from "../../../api/queries/engine/context.ts";
import { habitSorts, readHabitInYear, readHabitPage } from "../../../api/queries/habit/week.ts";
import { read } from "../../../api/queries/index.ts";
import {
  readComingReminders,
  readPastDeliveries,
  readReminderTarget,
} from "../../../api/queries/reminder/read.ts";
import { dueGroups, readContexts, readDueTodos, readTodoPage } from "../../../api/queries/todo/groups.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { takeDueReminders } from "../../../workers/reminder/tick.ts";
import { describeTables, effects, views } from "../../../workers/unit-of-work/tables.ts";
import { countAccounts, countSoon } from "../../../workers/upkeep/account-bytes.ts";
import { sweepDeletedUsers } from "../../../workers/upkeep/deleted-users.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import {
  dropPartitions,
  keptFor,
  makePartitions,
  pruneApprovals,
  pruneDeletions,
  pruneDeliveries,
  pruneImports,
} from "../../../workers/upkeep/upkeep.ts";
import { startStack } from "../../harness.ts";
import { idAt, seed, userAt } from "../../labs/bench/seed.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { throwaway } from "../../support/servers/services.ts";
import { byDatabase, type Run, runEveryCommand } from "./every-command.ts";
import { everyQuery } from "./every-query.ts";

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
  await eventually(() => webhookAnswers > 1);
  // The results of deliveries are written after them.
  await Bun.sleep(1_000);
  plans = readPlans(logFile);
});

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
  await takeDueReminders({ database: writes, travel: () => "0" }, 100);
  const scans = scansOf(readPlans(logFile).slice(before));
  expect(scans.join()).toMatch(/reminders/);
});

const yearBefore = (today: string): string => addDays(today, -365);

/** The account pages' reads beyond the contracts' queries, in each form of their statements. */
async function readEveryPage(query: QueryContext): Promise<void> {
  const { today } = await readDaySettings(query);
  await readDay(query, 1);
  await readPlaces(query);
  await readContexts(query);
  await readDueTodos(query, today, "overdue");
  await readDueTodos(query, today, { from: today.date });
  await countUnseenRuns(query, yearBefore(today.date));
  await readHabitInYear(query, idAt(0, 0), yearBefore);
  const kinds = [{}, { category_id: 1 }];
  for (const kind of kinds)
    for (const page of [1, 2]) {
      await readHabitPage(query, today, { ...kind, page });
      await query.inTurn((own) => readHabitPage(own, today, { ...kind, page, q: "walk" }), true);
    }
  const filters = [
    {},
    { context: "desk" },
    { categoryId: 1 },
    { context: "desk", categoryId: 1 },
    ...dueGroups
      .map((name) => ({ name, firstWeekday: 1 }))
      .flatMap((group) => [{ group }, { group, context: "desk" }, { group, categoryId: 1 }]),
  ];
  for (const sort of ["important", "title", "newest"] as const)
    for (const page of [1, 1_000])
      await query.inTurn((own) => readTodoPage(own, today, { sort, page }), true);
  for (const sort of habitSorts) await readHabitPage(query, today, { sort, page: 1 });
  for (const some of filters)
    for (const status of [undefined, "incomplete", "completed"] as const)
      for (const page of [1, 2, 1_000]) {
        await readTodoPage(query, today, { ...some, status, page });
        await query.inTurn((own) => readTodoPage(own, today, { ...some, status, page, q: "heating" }), true);
      }
}

const users = 1_000;

/** Its name differs from those on other servers, where tests count connections by it. */
async function createPlansDatabase(serverUrl: string): Promise<string> {
  const sql = new SQL(serverUrl, { max: 1 });
  await sql`create database plans`;
  await sql.close();
  return Object.assign(new URL(serverUrl), { pathname: "/plans" }).href;
}

/**
 * Fills every table of users until only an index makes sense: a user has 1/1,000 of the rows, so a scan reads
 * a thousand times too much. More rows would change no plan, and each partition has as many as a table.
 */
async function fillDatabase(databaseUrl: string): Promise<void> {
  await seed(databaseUrl, users);
  const sql = new SQL(databaseUrl, { max: 1 });
  await sql.unsafe(`
    insert into habit_completions
      select user_id, id, current_date - n, now() from habits, generate_series(0, 1) n on conflict do nothing;
    insert into habit_amounts select user_id, habit_id, local_date, 1, 1 from habit_completions;
    insert into reminders (user_id, todo_id, remind_at, status, created_at, updated_at)
      select user_id, id, now() + interval '1 year', 'scheduled', now(), now() from todos on conflict do nothing;
    insert into reminder_deliveries (user_id, id, todo_id, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'sent', 1, false, at, at, at, at
      from todos, lateral (select now() - interval '1 day' * (id % 30)) t(at);
    update habits set remind_at = '07:00', rings_at = now() + interval '1 year';
    insert into reminder_deliveries (user_id, id, habit_id, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'sent', 1, false, at, at, at, at
      from habits, lateral (select now() - interval '1 day' * (id % 30)) t(at);
    update users set digest = 'daily', digest_at = now() + interval '1 year';
    insert into reminder_deliveries (user_id, id, about, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), 'digest', 'sent', 1, false, at, at, at, at
      from users, lateral (select now() - interval '1 day' * n as at from generate_series(1, 30) n) t;
    insert into token_rules (user_id, token_id, asks_deletions, changes_used, deletions_used, created_at, updated_at)
      select user_id, 'token ' || n, true, 0, 0, now(), now() from users, generate_series(1, 10) n;
    insert into approvals (user_id, id, token_id, state, request, before, after, acts, rests_on, expires_at, created_at)
      select user_id, gen_random_uuid(), 'token 1', 'waiting', '', '', '', '{}', '', now() + interval '1 day', now() from habits;
    insert into webhooks (user_id, id, url, secret, events, is_active, created_at, updated_at)
      select user_id, gen_random_uuid(), 'https://example.org', '', '{todo.*}', n = 1 and user_id like '%7', now(), now()
      from users, generate_series(1, 3) n;
    insert into webhook_deliveries (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'todo', n, 'delivered', 1, now(), now(), now() from webhooks, generate_series(1, 20) n;
    insert into push_subscriptions (user_id, id, endpoint, p256dh, auth, browser, created_at)
      select user_id, gen_random_uuid(), 'https://push.example.org', '', '', '', now() from habits where id % 3 = 0;
    insert into deletions (user_id, changed_xid, kind, id, deleted_at)
      select user_id, changed_xid, 3, id + 100000000, now() - interval '1 day' * (id % 30) from todos;
    insert into identity.accounts (id, email, password_hash)
      select n::text, n || '@example.org', '' from generate_series(1, 20000) n;
    insert into deleted_users select 'deleted ' || n, now() - interval '1 day', now() from generate_series(1, 20000) n`);
  await multiplyPartitioned(sql, "inbox", "command_id", "created_at");
  await multiplyPartitioned(sql, "action_log", "request_id", "called_at");
  await sql.unsafe("vacuum analyze");
  await sql.close();
}

/** Copies one real row of a partitioned table to many users, in each of its partitions. */
async function multiplyPartitioned(sql: SQL, table: string, id: string, time: string): Promise<void> {
  await sql.unsafe(`
    insert into ${table}
    select (jsonb_populate_record(r.one, jsonb_build_object('user_id', u.user_id, '${id}', gen_random_uuid(),
      '${time}', p.upper - interval '1 second', 'keyed', p.kind = 'keyed'))).*
    from (select ${table} as one from ${table} limit 1) r, list_partitions('${table}') p, users u`);
}

/** A statement as PostgreSQL ran it, with the plan that it chose. */
type PlannedStatement = Readonly<{ text: string; plan: PlanNode }>;

type PlanNode = Readonly<{
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Recheck Cond"?: string;
  Filter?: string;
  Plans?: readonly PlanNode[];
}>;

/**
 * Makes PostgreSQL log the plans of all later statements, including those of functions and foreign keys, so that
 * nobody has to keep a list. Plans are generic, as those of prepared statements become under load.
 */
async function logPlans(databaseUrl: string): Promise<void> {
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_parameter_max_length": "0",
    plan_cache_mode: "force_generic_plan",
  };
  const database = new URL(databaseUrl).pathname.slice(1);
  const sql = new SQL(databaseUrl, { max: 1 });
  for (const [name, value] of Object.entries(settings))
    await sql.unsafe(`alter database ${database} set ${name} = '${value}'`);
  // Only new sessions have the settings.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${database} and pid <> pg_backend_pid()`;
  await sql.close();
}

/** Reads PostgreSQL's log, which may have been turned over once: each statement once with each of its plans. */
function readPlans(logFile: string): PlannedStatement[] {
  const texts = [`${logFile}.1`, logFile].filter(existsSync).map((file) => readFileSync(file, "utf8"));
  const plans = texts.join("").matchAll(/LOG: {2}duration: \S+ ms {2}plan:\n(\t\{\n(?:\t.*\n)+?\t\}\n)/g);
  return [...new Set([...plans].map(([, json = ""]) => json))].map((json) => {
    const { "Query Text": text, Plan: plan } = JSON.parse(json);
    return { text, plan };
  });
}

/** The first column of each index, by the index's name. */
async function readLeadingColumns(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const sql = new SQL(databaseUrl, { max: 1 });
  const rows: { name: string; column: string }[] = await sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid, 1, true) as column from pg_index`;
  await sql.close();
  return new Map(rows.map(({ name, column }) => [name.replace(/^\w+\./, ""), column]));
}

/** These pass rows on one by one, so that a LIMIT above them also ends the scan below. */
const onePerRow = ["Limit", "LockRows", "Append", "Merge Append", "Subquery Scan", "Result", "Nested Loop"];

/**
 * An index of open deliveries only, a list of closed accounts that is searched once a minute, files of one day,
 * active webhooks, and single rows.
 */
const fewRows = [
  ...["reminder_deliveries_open", "deleted_users", "import_parts_pkey", "webhooks_active"],
  ...["keyless_replies", "change_horizon", "upkeep_clock"],
];

/**
 * Scans that read a whole table or index: their cost grows with the number of all users. A scan of an index in its
 * order up to a LIMIT is fine if every row that it reads counts.
 */
function wholeScans(
  node: PlanNode,
  leadingColumns: ReadonlyMap<string, string>,
  underLimit = false,
): string[] {
  const { "Node Type": type, "Relation Name": table, "Index Name": index } = node;
  const limited = type === "Limit" || (underLimit && onePerRow.includes(type));
  const below = (node.Plans ?? []).flatMap((child) => wholeScans(child, leadingColumns, limited));
  if (table?.startsWith("pg_") || fewRows.includes(index ?? table ?? "")) return below;
  if (type === "Seq Scan") return [`${type} on ${table}`, ...below];
  if (index === undefined) return below;
  const column = leadingColumns.get(index) ?? "no column";
  const isLookup = new RegExp(`\\b${column}\\b`).test(node["Index Cond"] ?? "");
  const isOrdered = underLimit && node.Filter === undefined;
  return isLookup || isOrdered ? below : [`whole ${type} of ${index}`, ...below];
}
