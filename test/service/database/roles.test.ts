import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { type DatabaseRole, databaseRoles, roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { createDatabase, testEnvironment } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";

const ownerUrl = await createDatabase();
const owner = new SQL(ownerUrl, { max: 1 });
const urls = roleUrlsOf(ownerUrl);
const sessions = Object.fromEntries(
  databaseRoles.map((role) => [role, new SQL(urls[role], { max: 1 })]),
) as Record<DatabaseRole, SQL>;
afterAll(() => Promise.all([owner, ...Object.values(sessions)].map((session) => session.close())));

const notAllowed = "42501";

/** The SQLSTATE of a statement typed with a role's credentials; undefined if it works. */
const typed = (role: DatabaseRole, statement: string): Promise<string | undefined> =>
  sessions[role].unsafe(statement).then(
    () => undefined,
    (error) => error.errno,
  );

async function refused(role: DatabaseRole, statements: readonly string[]): Promise<void> {
  const answers = await Promise.all(statements.map(async (text) => [text, await typed(role, text)] as const));
  expect(answers.filter(([, state]) => state !== notAllowed)).toEqual([]);
}

const tablesOf = async (schema: "public" | "identity"): Promise<string[]> => {
  const rows = await owner.unsafe(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = '${schema}' order by 1`,
  );
  return rows.map(({ name }: { name: string }) => name);
};
const [productTables, identityTables] = [await tablesOf("public"), await tablesOf("identity")];

const read = (table: string) => `select from ${table} limit 1`;
const write = (table: string) => [
  `insert into ${table} default values`,
  `delete from ${table}`,
  `truncate ${table}`,
];

const dangers = [
  "copy users to program 'true'",
  "copy users from program 'true'",
  "copy users to '/tmp/users'",
  "select pg_read_file('/etc/passwd')",
  "create function harm() returns int language sql as 'select 1'",
  "create function pg_temp.harm() returns int language sql as 'select 1'",
  "create table harm ()",
  "create temporary table harm ()",
  "select lo_create(0)",
  "select lo_from_bytea(0, 'x')",
  "create schema harm",
  "create role harm",
  "alter role current_user superuser",
  "set role kept",
  "alter table users disable trigger all",
  "drop table users",
];

test("no role runs a program, reads a file, makes a function, a table or a role, or becomes the owner", async () => {
  for (const role of databaseRoles) await refused(role, dangers);
});

test("no role is a superuser, makes roles or databases, or passes over policies", async () => {
  for (const role of databaseRoles) {
    const [powers] = await sessions[role]`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles where rolname = current_user`;
    expect([role, ...new Set(Object.values(powers))]).toEqual([role, false]);
  }
});

test("the front door's credentials read no password or key and write no row", async () => {
  await refused("door", [...identityTables.map(read), ...productTables.flatMap(write)]);
  expect(await typed("door", read("users"))).toBeUndefined();
  await refused("door", ["select make_partitions('inbox', 'keyed', '1 hour', now(), now())"]);
});

test("a role reads the secrets that it uses, and no others", async () => {
  const keys = "select name from shared_secrets where name <> 'push' or value ? 'privateKey' order by 1";
  const keysOf = async (role: DatabaseRole) => (await sessions[role].unsafe(keys).values()).flat();
  expect(await keysOf("door")).toEqual(["pages", "queue", "reminder-links"]);
  expect(await keysOf("worker")).toEqual(["push", "queue", "reminder-links"]);
  await refused("identity", [read("shared_secrets")]);
});

test("a worker reads and changes rows of the product, but no password, key or migration", async () => {
  await refused(
    "worker",
    identityTables.flatMap((name) => [read(name), ...write(name)]),
  );
  await refused("worker", [
    "delete from mikro_orm_migrations",
    "truncate users",
    "delete from shared_secrets",
  ]);
  expect(await typed("worker", "delete from todos")).toBeUndefined();
  expect(await typed("worker", "select drop_partition('inbox', 'todos')")).toBe("P0001");
});

test("the identity provider changes nothing of the product, and reads a person's zone alone", async () => {
  const readable = ["public.mikro_orm_migrations"];
  const others = productTables.filter((name) => !readable.includes(name));
  await refused("identity", [
    ...others.map((name) => `select * from ${name}`),
    ...productTables.flatMap(write),
  ]);
  expect(await typed("identity", "select time_zone from users")).toBeUndefined();
  expect(await typed("identity", "select webhook_secret from users")).toBe(notAllowed);
  expect(await typed("identity", "select password_hash from identity.accounts")).toBeUndefined();
});

test("a door with its own role, and none for the provider, ends with a sentence that says what is missing", async () => {
  const own = { DATABASE_URL: urls.door, AUTH_URL: "", DATA_DIR: folderOfFile("door"), LOG_LEVEL: "info" };
  const door = Bun.spawn([process.execPath, "api/main.ts"], {
    cwd: join(import.meta.dir, "../../.."),
    env: { ...process.env, ...(await testEnvironment()), ...own },
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(await door.stdout.text()).toContain("set IDENTITY_DATABASE_URL beside DATABASE_URL");
  expect(await door.exited).toBe(1);
});

test("no role changes the journal: workers and provider add rows within bounds, and workers drop what is old", async () => {
  const append = `select journal_append('ada', 'signed_in', '{}', 20, 'day')`;
  const tables = ["journal", "journal_counts"];
  for (const role of databaseRoles) {
    await refused(role, [...tables.flatMap(write), "update journal set kind = 'x'"]);
    expect([role, await typed(role, append)]).toEqual([role, role === "door" ? notAllowed : undefined]);
    const upkeep = role === "worker" ? undefined : notAllowed;
    for (const call of ["journal_drop(10)", "journal_close(10)"])
      expect([role, call, await typed(role, `select ${call}`)]).toEqual([role, call, upkeep]);
  }
});

test("an owner who is no superuser makes the roles, gives new passwords and ends the roles' sessions", async () => {
  const name = `kept_${crypto.randomUUID().slice(0, 8)}`;
  await owner.unsafe(`create role ${name} login createrole password 'first'`);
  await owner.unsafe(`create database ${name} owner ${name}`);
  const url = Object.assign(new URL(ownerUrl), {
    username: name,
    password: "first",
    pathname: `/${name}`,
  }).href;
  await migrate(url, "error", { roleUrls: roleUrlsOf(url) });
  await using door = new SQL(roleUrlsOf(url).door, { max: 1 });
  const [session] = await door`select pg_backend_pid() as pid, count(*)::int as todos from todos`;
  expect(session.todos).toBe(0);

  const changed = roleUrlsOf(url.replace("first", "second"));
  await migrate(url, "error", { roleUrls: changed });
  await using again = new SQL(changed.door, { max: 1 });
  expect(await again`select from todos`).toHaveLength(0);
  const late = new SQL(roleUrlsOf(url).door, { max: 1 });
  await expect(Promise.resolve(late`select 1`)).rejects.toThrow("password authentication failed");
  await using plain = new SQL(url, { max: 1 });
  const [end] = await plain`select pg_terminate_backend(${session.pid}) as ended`;
  expect(end.ended).toBe(true);

  const roleUrls = { door: roleUrlsOf(ownerUrl).door };
  await expect(migrate(url, "error", { roleUrls })).rejects.toThrow(
    `DOOR_DATABASE_URL must name the user ${name}_door, because the owner is ${name}.`,
  );
});
