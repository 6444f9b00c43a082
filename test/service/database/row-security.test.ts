import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { entities } from "../../../shared/db/entities.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { setUsers } from "../../../shared/db/statements/row-users.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase, type JsonBody, startStack } from "../../harness.ts";

const url = await createDatabase();
const urls = roleUrlsOf(url);
const owner = new SQL(url, { max: 1 });
const log = createLog("test", "error");
const people = ["ada", 'b"o\\b,{}', "eve"];
for (const user of people)
  await owner`insert into categories (id, user_id, name, color, created_at, updated_at) select nextval('categories_id_seq'), ${user}, 'c', '#000000', now(), now()`;
const [door, worker] = await Promise.all([
  openDatabase({ url: urls.door, log }),
  openDatabase({ url: urls.worker, log, purpose: "writes" }),
]);
afterAll(() => Promise.all([owner.close(), door.close(), worker.close()]));

const everything = "select user_id from categories where $1 = $1";

test("a read without the guard's condition shows its user's rows alone, also when reads travel together", async () => {
  const { run } = openQueryDatabase(door);
  const reads = Array.from({ length: 60 }, (_, index) => people[index % 3] ?? "");
  const found = await Promise.all(reads.map((user) => run<{ user_id: string }>(user, everything, [user])));
  const seen = new Set(found.flat().map((row) => row.user_id));
  expect(seen).toEqual(new Set(people));
  for (const [index, rows] of (
    await Promise.all(people.map((user) => run<{ user_id: string }>(user, everything, ["x"])))
  ).entries())
    expect(rows.every((row) => row.user_id === people[index])).toBe(true);
});

test("a front door that names no user sees nothing, also after a read of somebody", async () => {
  const { run } = openQueryDatabase(door);
  expect(await run("ada", everything, ["x"])).toHaveLength(1);
  for (let times = 0; times < 20; times++)
    expect((await door.pool.query("select from categories")).rows).toHaveLength(0);
});

test("a failed read leaves neither its users nor a broken connection", async () => {
  const { run } = openQueryDatabase(door);
  await expect(run("ada", "select 1 / $1::int as x from categories", ["0"])).rejects.toThrow();
  await expect(run("ada", "select nothing from categories where $1 = $1", ["0"])).rejects.toThrow();
  expect(await run("eve", everything, ["x"])).toHaveLength(1);
  expect((await door.pool.query("select from categories")).rows).toHaveLength(0);
});

test("each table with rows of users shows them by its policy, to doors and workers, and its partitions to nobody", async () => {
  const [{ tables }] = await owner`
    select array_agg(c.relname::text order by 1) as tables from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname = 'user_id'`;
  const known = entities.filter(({ meta }) => "user_id" in meta.properties).map(({ tableName }) => tableName);
  expect(tables).toEqual(expect.arrayContaining(known));
  for (const { pool } of [door, worker]) {
    const { rows: open } = await pool.query(
      "select name from unnest($1::text[]) name where not row_security_active(name)",
      [[...tables, "deleted_users"]],
    );
    expect(open).toEqual([]);
    const { rows: readable } = await pool.query(
      "select relname from pg_class where relispartition and relkind in ('r', 'p') and has_table_privilege(oid, 'select')",
    );
    expect(readable).toEqual([]);
  }
});

test("a transaction of a worker neither sees nor changes rows of users who are not its own", async () => {
  const client = await worker.pool.connect();
  await client.query("begin");
  await client.query(setUsers, [["ada"]]);
  expect((await client.query("update categories set name = 'x' returning user_id")).rows).toEqual([
    { user_id: "ada" },
  ]);
  await expect(
    client.query(
      "insert into categories (id, user_id, name, color, created_at, updated_at) values (9, 'eve', 'c', '#000000', now(), now())",
    ),
  ).rejects.toThrow("row-level security");
  await client.query("rollback");
  client.release();
  expect((await worker.pool.query("select from categories")).rows).toHaveLength(3);
});

const stack = await startStack();

/** Makes a request that must succeed. */
async function done(method: string, path: string, body?: JsonBody) {
  const answer = await stack.rest(method, path, { body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.body;
}

const demandNamed = `
  create function demand_named() returns trigger language plpgsql as $$ begin
    if coalesce(new.user_id, old.user_id) = any (current_setting('kept.users')::text[]) then
      return coalesce(new, old);
    end if;
    raise 'nobody is named';
  end $$`;

test("every transaction of commands names its users, so it could write nobody else's rows", async () => {
  await using tables = new SQL(stack.config.databaseUrl, { max: 1 });
  await tables.unsafe(demandNamed);
  for (const table of ["todos", "habits", "categories", "inbox", "action_log", "works"])
    await tables.unsafe(`
      create trigger named before insert or update or delete on ${table} for each row execute function demand_named()`);
  const category = await done("POST", "/categories", { name: "Home" });
  const todo = await done("POST", "/todos", { title: "Pay", category_id: category.id });
  await done("POST", `/todos/${todo.id}/toggle`, {});
  const habit = await done("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" });
  await done("POST", `/habits/${habit.id}/complete`, {});
  await done("POST", "/batch", {
    operations: [{ method: "POST", path: "/todos", body: { title: "Grouped" } }],
  });
  await done("DELETE", `/categories/${category.id}`);
  const titles = Array.from({ length: 30 }, (_, index) => `Together ${index}`);
  await Promise.all(titles.map((title) => done("POST", "/todos", { title })));
  const { body } = await stack.rest("GET", "/todos");
  expect(body.meta.total).toBe(31);
});
