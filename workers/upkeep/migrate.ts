import { parseArgs } from "node:util";
import type { Pool, PoolClient } from "pg";
import { exclusively } from "../../shared/db/exclusively.ts";
import { migrations, neighboursKnow } from "../../shared/db/migrations/index.ts";
import { type Database, openDatabase } from "../../shared/db/orm.ts";
import { readSchema, tooNew } from "../../shared/db/schema-guard.ts";
import { makeSharedSecrets } from "../../shared/db/shared-secrets.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import {
  type DatabaseRole,
  databaseRoles,
  type RoleUrls,
  roleName,
  roleSettings,
} from "../../shared/process/database-roles.ts";
import { createLog } from "../../shared/process/observe/log.ts";

type Rights = Readonly<{ may: readonly string[]; not?: readonly string[] }>;

/**
 * The rights of each process in the database: the only list of them. Migrations run as the owner of the tables, who
 * gives exactly these after each. `not` takes away again what `may` gives to all tables.
 */
const rights: Readonly<Record<DatabaseRole, Rights>> = {
  door: {
    may: [
      "usage on schema public",
      "select on all tables in schema public",
      "execute on function change_marks(), feed_owner(text)",
    ],
  },
  worker: {
    may: [
      "usage on schema public",
      "select, insert, update, delete on all tables in schema public",
      "usage on all sequences in schema public",
      "execute on all functions in schema public",
    ],
    not: [
      "insert, update, delete on mikro_orm_migrations, shared_secrets",
      // Events are only added, within bounds, and dropped after 400 days.
      "insert, update, delete on journal, journal_counts",
    ],
  },
  // Nobody else reads passwords and keys.
  identity: {
    may: [
      "usage on schema public, identity",
      "select, insert, update, delete on all tables in schema identity",
      "usage on all sequences in schema identity",
      "select on mikro_orm_migrations",
      "select (user_id, time_zone, zone_source, locale, theme, week_start, session_generation) on users",
      "select (user_id, id, events, made_by, is_active) on webhooks",
      "execute on function journal_append(text, text, jsonb, bigint, text, text, bigint, boolean)",
    ],
  },
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Makes the roles whose addresses are known, and gives every role that exists its rights and no others. A role that has
 * no address here and does not exist is left out, so one installation may go on with the owner for all processes.
 */
async function giveRights(pool: Pick<Pool, "query">, urls: RoleUrls): Promise<void> {
  const { rows } = await pool.query(readOwner);
  const { owner, database, roles } = rows[0];
  await pool.query(`revoke create on schema public from public;
    revoke temporary on database ${quoted(database)} from public;
    revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
    ${revokeEach("execute on function", ownersFunctions, "public")}`);
  for (const role of databaseRoles) {
    const name = roleName(owner, role);
    const [url, exists] = [urls[role], roles.includes(name)];
    const login = url && `role ${quoted(name)} login ${passwordIn(url, role, owner)}`;
    // The owner is a member of each role, so that it can end the role's sessions.
    if (login) await pool.query(exists ? `alter ${login}` : `create ${login} role ${quoted(owner)}`);
    if (url !== undefined || exists) await pool.query(rightsOf(role, quoted(name)));
  }
}

const readOwner = `
  select current_user::text as owner, current_database()::text as database,
    array(select rolname::text from pg_roles) as roles`;

/** Functions with the owner's rights are nobody's until a role has them. */
const ownersFunctions = `
  select oid::regprocedure from pg_proc
  where prosecdef and pronamespace = 'public'::regnamespace and proowner = current_user::regrole`;

/** Partitions would show what the policies of their table hide. */
const partitions = `
  select inhrelid::regclass from pg_inherits join pg_class on oid = inhrelid and relkind in ('r', 'p')`;

const revokeEach = (right: string, things: string, role: string): string => `
  do $$ declare thing text; begin
    for thing in ${things} loop execute 'revoke ${right} ' || thing || ' from ${role.replaceAll("'", "''")}'; end loop;
  end $$`;

function passwordIn(url: string, role: DatabaseRole, owner: string): string {
  const { username, password } = new URL(url);
  const name = roleName(owner, role);
  if (decodeURIComponent(username) !== name)
    throw new Error(`${roleSettings[role]} must name the user ${name}, because the owner is ${owner}.`);
  return `password '${decodeURIComponent(password).replaceAll("'", "''")}'`;
}

/** One transaction, so that no process is without its rights meanwhile. */
function rightsOf(role: DatabaseRole, name: string): string {
  const { may, not = [] } = rights[role];
  const all = ["all tables in schema", "all sequences in schema", "all functions in schema", "schema"];
  return [
    ...all.map((things) => `revoke all on ${things} public, identity from ${name}`),
    ...may.map((right) => `grant ${right} to ${name}`),
    ...not.map((right) => `revoke ${right} from ${name}`),
    revokeEach("all on", partitions, name),
  ].join(";\n");
}

type Options = Readonly<{
  /** Addresses of the roles that the other processes use. */
  roleUrls?: RoleUrls;
  /** Receives a line for each migration of a database that is in use. */
  report?(line: string): void;
}>;

/** Migrates the database at `url` to the newest schema; several processes may run it at once. */
export const migrate = (
  url: string,
  logLevel = "info",
  { roleUrls = {}, report }: Options = {},
): Promise<void> =>
  withDatabase(url, logLevel, async (database) => {
    const { pool } = database;
    await exclusively(pool, { name: "kept.migrate", taken: "wait" }, async () => {
      await bringUp(database, listMigrations(database), report);
      await pool.query("select renew_changes()");
      await makeSharedSecrets(pool);
      await giveRights(pool, roleUrls);
    });
  });

/** Applies what is pending, in order, to a database that no other process migrates. */
export async function bringUp(
  database: Database,
  all: readonly ListedMigration[] = listMigrations(database),
  report: Options["report"] = () => {},
): Promise<void> {
  const { orm, pool } = database;
  await orm.migrator.getExecuted(); // Makes the table of migrations.
  const pending = await pendingIn(pool, all);
  for (const migration of pending) {
    const begun = performance.now();
    await applyMigration(pool, migration);
    if (pending.length < all.length)
      report(`${migration.name}  ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  }
  await pool.query(`comment on table mikro_orm_migrations is '${neighboursKnow}'`);
}

export const listMigrations = ({ orm }: Database, all = migrations): readonly ListedMigration[] =>
  all.map(({ name, class: Kind }) => {
    const migration = new Kind(orm.em.getDriver(), orm.config);
    migration.up();
    return { name, isOnline: !migration.isTransactional(), statements: migration.getQueries().map(String) };
  });

/** @throws when a newer release has migrated the database */
async function pendingIn(pool: Database["pool"], all: readonly ListedMigration[]) {
  const schema = await readSchema(pool);
  const problem = tooNew(schema);
  if (problem) throw new Error(problem);
  return all.filter(({ name }) => !schema.applied.includes(name));
}

async function showPlan(database: Database): Promise<void> {
  const pending = await pendingIn(database.pool, listMigrations(database));
  console.log((await planOf(database.pool, pending)).join("\n") || "No migration is pending.");
}

async function withDatabase(url: string, logLevel: string, work: (database: Database) => Promise<void>) {
  const log = createLog("migrate", logLevel);
  const database = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
  await work(database).finally(database.close);
}

/** A migration as its statements. An online one runs them one by one, any other in one transaction. */
type ListedMigration = Readonly<{ name: string; isOnline: boolean; statements: readonly string[] }>;

/** Others queue behind a lock that is waited for. Workers give up on a lock after 100 ms. */
const lockTimeout = "50ms";
const [firstPauseMs, longestPauseMs, patienceMs] = [50, 2_000, 600_000];

const record = "insert into mikro_orm_migrations (name) values ($1)";

/**
 * Applies one migration and records it. A lock that is not free, or a deadlock, undoes the transaction, which then is
 * tried again after a pause. Sessions begin anew at once, because the rest of an online migration may take minutes.
 */
export async function applyMigration(
  pool: Pool,
  { name, isOnline, statements }: ListedMigration,
): Promise<void> {
  if (!isOnline) {
    await patiently(pool, name, (connection) => runTogether(connection, statements, name));
    return renewSessions(pool, statements);
  }
  for (const statement of statements) {
    await patiently(pool, name, (connection) => runAlone(connection, statement));
    await renewSessions(pool, [statement]);
  }
  await pool.query(record, [name]);
}

async function runTogether(connection: PoolClient, statements: readonly string[], name: string) {
  await connection.query(`begin; set local lock_timeout = '${lockTimeout}'`);
  for (const statement of statements) await connection.query(statement);
  await connection.query(record, [name]);
  await connection.query("commit");
}

/** Building an index waits for older transactions, which holds nobody up, so that it may wait for as long as they take. */
async function runAlone(connection: PoolClient, statement: string) {
  const isConcurrent = /^\s*(create|drop) index concurrently /.test(statement);
  await connection.query(`set lock_timeout = '${isConcurrent ? 0 : lockTimeout}'`);
  await connection.query(statement);
}

/** SQLSTATE of a lock that was not free in time, and of a deadlock. */
const busy: readonly unknown[] = ["55P03", "40P01"];

/** Runs work on a connection of its own, whose end undoes the transaction of a failure. */
async function patiently(pool: Pool, name: string, work: (connection: PoolClient) => Promise<void>) {
  const end = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const connection = await pool.connect();
    try {
      return await work(connection);
    } catch (error) {
      const isBusy = error instanceof Error && "code" in error && busy.includes(error.code);
      if (!isBusy) throw error;
      if (performance.now() > end)
        throw new Error(`${name} got no lock within 10 minutes: end long transactions, and run it again.`);
    } finally {
      connection.release(true);
    }
    await Bun.sleep(pauseMs * (0.5 + Math.random()));
  }
}

/** Statements that take the longer the more rows there are, and hold up writes to them until the end. */
const long = [
  /\bcreate index (?!concurrently)/,
  /\badd primary key\b/,
  /\bset (unlogged|not null)\b/,
  /\binsert into [\w.]+ .*\bselect\b/s,
  /^\s*(update|delete from)\b/,
];

/** Steps with a commit of their own hold up nobody for long. */
const isLong = (text: string): boolean => !/\bcommit;/.test(text) && long.some((form) => form.test(text));

/** A function's body runs later. */
const runsAtOnce = (text: string): boolean => !/^\s*create (or replace )?function\b/.test(text);

/** A table, or an index with its table, and PostgreSQL's estimate of the table's rows. */
type Relation = Readonly<{ name: string; table: string; rows: number }>;

/** A partitioned table has the rows of its partitions. A table that nobody has analysed yet counts -1. */
const relations = `
  select c.oid::regclass::text as name, t.oid::regclass::text as table, greatest(0, coalesce((
    select sum(p.reltuples) from pg_inherits i join pg_class p on p.oid = i.inhrelid and p.reltuples > 0
    where i.inhparent = t.oid), t.reltuples))::float8 as rows
  from pg_class c left join pg_index x on x.indexrelid = c.oid
  join pg_class t on t.oid = coalesce(x.indrelid, c.oid) and t.relkind in ('r', 'p')
  where c.relnamespace::regnamespace::text in ('public', 'identity')`;

/** @returns a line for each migration: if writes wait for work on rows, and its tables with their rows */
export async function planOf(
  pool: Pick<Pool, "query">,
  pending: readonly ListedMigration[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<Relation>(relations);
  const known = new Map(rows.map((relation) => [relation.name, relation]));
  const tablesIn = (text: string) => {
    const found = (text.match(/[\w.]+/g) ?? []).flatMap((word) => known.get(word) ?? []);
    return [...new Map(found.map((relation) => [relation.table, relation])).values()];
  };
  return pending.map(({ name, statements }) => {
    const texts = statements.filter(runsAtOnce);
    const waits = texts.some((text) => isLong(text) && tablesIn(text).some((table) => table.rows > 0));
    const tables = tablesIn(texts.join(" ")).map(
      (one) => `${one.table} (${one.rows.toLocaleString("en")} rows)`,
    );
    return `${name.padEnd(34)}${waits ? "writes wait" : "online"}  ${tables.sort().join(", ") || "no table in use"}`;
  });
}

const columnChange = /\balter table [\w.]+\s+(?:add|drop|rename) (?!constraint\b|primary\b)/;
const [renewWithinMs, renewEveryMs] = [2_000, 5];

/**
 * Ends the sessions of roles, each when it is idle, if statements gave or took columns of a table. PostgreSQL refuses a
 * prepared statement for good when its result has other columns, as that of `select c.*` has.
 */
export async function renewSessions(pool: Pool, statements: readonly string[]): Promise<void> {
  if (!statements.some((statement) => columnChange.test(statement))) return;
  const { rows } = await pool.query("select clock_timestamp()::text as now");
  for (const end = performance.now() + renewWithinMs; performance.now() < end; await Bun.sleep(renewEveryMs))
    if ((await pool.query(endIdle, [rows[0].now])).rowCount === 0) return;
}

/** Sessions of other database users, as behind a pooler, cannot be ended, and end with the rolling deploy. */
const endIdle = `
  select case when state = 'idle' then pg_terminate_backend(pid) end from pg_stat_activity
  where datname = current_database() and application_name like 'kept-%' and application_name <> 'kept-migrations'
    and backend_start < $1::timestamptz and pg_has_role(usesysid, 'usage')`;

/** `npm run migrate`; with `-- --plan` it only prints the pending migrations. */
async function run(): Promise<void> {
  const { values } = parseArgs({ options: { plan: { type: "boolean", default: false } } });
  const { databaseUrl, logLevel, roleUrls } = loadCommonConfig();
  if (!databaseUrl) throw new Error("DATABASE_URL names the database to migrate; npm start brings its own.");
  if (values.plan) return withDatabase(databaseUrl, logLevel, showPlan);
  await migrate(databaseUrl, logLevel, { roleUrls, report: (line) => console.log(line) });
}

if (import.meta.main)
  await run().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
