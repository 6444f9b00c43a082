import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { openQueryDatabase } from "../../../api/queries/engine/context.ts";
import { entities } from "../../../shared/db/entities.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";

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

const everything = (value: string) => ({
  text: "select user_id from categories where $1 = $1",
  values: [value],
});

test("a read without the guard's condition shows its user's rows alone, also when reads travel together", async () => {
  const { run } = openQueryDatabase(door);
  const reads = Array.from({ length: 60 }, (_, index) => people[index % 3] ?? "");
  const found = await Promise.all(reads.map((user) => run<{ user_id: string }>(user, everything(user))));
  const seen = new Set(found.flat().map((row) => row.user_id));
  expect(seen).toEqual(new Set(people));
  for (const [index, rows] of (
    await Promise.all(people.map((user) => run<{ user_id: string }>(user, everything("x"))))
  ).entries())
    expect(rows.every((row) => row.user_id === people[index])).toBe(true);
});

test("a front door that names no user sees nothing, also after a read of somebody", async () => {
  const { run } = openQueryDatabase(door);
  expect(await run("ada", everything("x"))).toHaveLength(1);
  for (let times = 0; times < 20; times++)
    expect((await door.pool.query("select from categories")).rows).toHaveLength(0);
});

test("a failed read leaves neither its users nor a broken connection", async () => {
  const { run } = openQueryDatabase(door);
  await expect(
    run("ada", { text: "select 1 / $1::int as x from categories", values: ["0"] }),
  ).rejects.toThrow();
  await expect(
    run("ada", { text: "select nothing from categories where $1 = $1", values: ["0"] }),
  ).rejects.toThrow();
  expect(await run("eve", everything("x"))).toHaveLength(1);
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

test("a worker sees and changes all rows, by plans that know nothing of the policies", async () => {
  const { rows } = await worker.pool.query("update categories set name = 'x' returning user_id");
  expect(rows).toHaveLength(people.length);
  const explained = async ({ pool }: typeof worker) =>
    JSON.stringify((await pool.query(`explain (verbose) select from categories`)).rows);
  expect(await explained(worker)).not.toContain("kept.users");
  expect(await explained(door)).toContain("kept.users");
});

test("a plan that was made for a worker shows a front door nothing", async () => {
  const name = new URL(urls.door).username.replace("_door", "");
  await owner`set plan_cache_mode = force_generic_plan`;
  await owner`prepare all_rows as select from categories`;
  const seen = [];
  for (const role of ["worker", "door", "worker"]) {
    await owner.unsafe(`set role ${name}_${role}`);
    seen.push((await owner`execute all_rows`).length);
  }
  await owner`reset role`;
  expect(seen).toEqual([people.length, 0, people.length]);
});
