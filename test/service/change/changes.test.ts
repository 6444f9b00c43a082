import { afterAll, expect, test } from "bun:test";
import type { PoolClient } from "pg";
import { openDatabase } from "../../../shared/db/orm.ts";
import { readChangedThings } from "../../../shared/db/reads/change-places.ts";
import type { Statement } from "../../../shared/db/reads/statement.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { pruneDeletions } from "../../../workers/upkeep/upkeep.ts";
import { startStack, testEnvironment } from "../../harness.ts";
import { bringUpToDate, type Copy, expectEqual, newCopy } from "../../support/copies/copy.ts";
import { newcomer } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { storeTodos } from "../../support/todos.ts";

const env = await testEnvironment();
const log = createLog("test", "error");
const database = await openDatabase({ url: env.DATABASE_URL ?? "", log, connections: 3 });
const { pool, close } = database;
afterAll(close);
const stack = await startStack({ env });
const { rest, issuer } = stack;

const as = async (sub: string) => {
  const { rest: send } = await newcomer(stack, { sub });
  return { send, get: (path: string) => send("GET", path) };
};
type User = Awaited<ReturnType<typeof as>>;

const idOf = async (user: User, path: string, body: object): Promise<number> =>
  (await user.send("POST", path, body)).body.id;

const names = ({ data }: { data: { type: string; id: number; deleted: boolean }[] }) =>
  data.map(({ type, id, deleted }) => `${deleted ? "no " : ""}${type} ${id}`);

test("the first call has everything, the next only what changed, and a deletion once", async () => {
  const ada = await as("ada");
  const category_id = await idOf(ada, "/categories", { name: "Home" });
  const habit = await idOf(ada, "/habits", { name: "Walk", type: "good", frequency: "daily" });
  const todo = await idOf(ada, "/todos", { title: "Sweep", category_id });
  const first = (await ada.get("/changes")).body;
  expect(names(first)).toEqual([`category ${category_id}`, `habit ${habit}`, `todo ${todo}`]);
  expect(first.has_more).toBe(false);
  expect(first.data[2].resource).toEqual((await ada.get(`/todos/${todo}`)).body);
  // A change is told again while an older transaction of anybody runs.
  const untilQuiet = async (from: string): Promise<string> => {
    const { body } = await ada.get(`/changes?cursor=${from}`);
    return names(body).length === 0
      ? body.next_cursor
      : Bun.sleep(20).then(() => untilQuiet(body.next_cursor));
  };
  const quiet = await untilQuiet(first.next_cursor);
  await ada.send("POST", `/habits/${habit}/complete`);
  await ada.send("DELETE", `/todos/${todo}`);
  const later = (await ada.get(`/changes?cursor=${quiet}`)).body;
  expect(names(later)).toEqual([`habit ${habit}`, `no todo ${todo}`]);
  await untilQuiet(later.next_cursor);
  expect(names((await (await as("eve")).get("/changes")).body)).toEqual([]);
});

test("pages of 200 are the whole, though rows change and go between them", async () => {
  const bea = await as("bea");
  await storeTodos(stack.config.databaseUrl, "bea", 950);
  const copy = newCopy();
  for (let page = 0, more = true; more; page++) {
    const { body } = await bea.get(copy.cursor === undefined ? "/changes" : `/changes?cursor=${copy.cursor}`);
    expect(body.data.length).toBeLessThanOrEqual(200);
    for (const { type, id, deleted, resource } of body.data)
      if (deleted) copy.resources.delete(`${type} ${id}`);
      else copy.resources.set(`${type} ${id}`, resource);
    copy.cursor = body.next_cursor;
    more = body.has_more;
    if (page > 3) continue;
    await bea.send("PATCH", `/todos/${1000000 + 10 + page}`, { title: `Again ${page}` });
    await bea.send("PATCH", `/todos/${1000000 + 900 + page}`, { title: `Again ${page}` });
    await bea.send("DELETE", `/todos/${1000000 + 20 + page}`);
    await bea.send("DELETE", `/todos/${1000000 + 800 + page}`);
  }
  await expectEqual(bea.get, copy);
  expect(copy.timesBegun).toBe(0);
});

/** Works beside an open transaction, which ends with the work: no other test may wait for it. */
async function besideTransaction(work: (transaction: PoolClient) => Promise<void>): Promise<void> {
  const transaction = await pool.connect();
  await transaction.query("begin");
  await work(transaction).finally(() => transaction.query("rollback"));
  transaction.release();
}

test("a transaction that commits after a later one is not missed, and does not hold the later one back", async () => {
  const cleo = await as("cleo");
  const early = await idOf(cleo, "/todos", { title: "Early" });
  const late = await idOf(cleo, "/todos", { title: "Late" });
  const copy = newCopy();
  await bringUpToDate(cleo.get, copy);
  await besideTransaction(async (slow) => {
    await slow.query(
      "update todos set title = 'Early, changed', changed_xid = default where user_id = 'cleo' and id = $1",
      [early],
    );
    await cleo.send("PATCH", `/todos/${late}`, { title: "Late, changed" });
    await bringUpToDate(cleo.get, copy);
    expect(copy.resources.get(`todo ${late}`).title).toBe("Late, changed");
    expect(copy.resources.get(`todo ${early}`).title).toBe("Early");
    await slow.query("commit");
  });
  await bringUpToDate(cleo.get, copy);
  expect(copy.resources.get(`todo ${early}`).title).toBe("Early, changed");
  await expectEqual(cleo.get, copy);
});

test("a reader of final changes is told a new todo of a new category once, though the todo is settled later", async () => {
  const lea = await as("lea");
  const told: string[] = [];
  let cursor: string | undefined;
  const rows = async <Row extends object>(statement: Statement<Row>): Promise<Row[]> => {
    const { text, values } = statement.of("lea");
    return (await pool.query(text, values)).rows;
  };
  async function poll(): Promise<string[]> {
    const found = await readChangedThings(rows, { cursor, isFinal: true });
    told.push(...(found?.things ?? []).map(({ kind, id }) => `${kind} ${id}`));
    cursor = found?.next_cursor;
    return told;
  }
  await poll();
  const category_id = await idOf(lea, "/categories", { name: "New" });
  let todo = 0;
  await besideTransaction(async (older) => {
    await older.query("select pg_current_xact_id()");
    todo = await idOf(lea, "/todos", { title: "In it", category_id });
    await eventually(async () => (await poll()).length > 0);
  });
  await eventually(async () => (await poll()).includes(`todo ${todo}`));
  expect(await poll()).toEqual([`category ${category_id}`, `todo ${todo}`]);
});

/** Without this, clients with a large copy would poll forever. */
test("more than a page of what is not settled ends with has_more false", async () => {
  const dan = await as("dan");
  let place = "";
  await besideTransaction(async (stranger) => {
    const { rows } = await stranger.query("select pg_current_xact_id()::text as xid");
    // Transactions of other tests that are older end first.
    await eventually(async () => {
      place = (await dan.get("/changes")).body.next_cursor;
      return place.split(".")[1] === rows[0].xid;
    });
    await storeTodos(stack.config.databaseUrl, "dan", 300, { id: "2000000 + n" });
    const unsettled = (await dan.get(`/changes?cursor=${place}`)).body;
    expect([unsettled.data.length, unsettled.has_more, unsettled.next_cursor]).toEqual([200, false, place]);
  });
  const settled = (await dan.get(`/changes?cursor=${place}`)).body;
  expect([settled.data.length, settled.has_more]).toEqual([200, true]);
  const rest = (await dan.get(`/changes?cursor=${settled.next_cursor}`)).body;
  expect([rest.data.length, rest.has_more]).toEqual([100, false]);
});

test("a category's new name comes with its habits and todos, page by page, and so does the zone with reminders", async () => {
  const fay = await as("fay");
  const copies: Copy[] = [newCopy(), newCopy()];
  const categories = [
    await idOf(fay, "/categories", { name: "One" }),
    await idOf(fay, "/categories", { name: "Two" }),
  ];
  const habit = { name: "Walk", type: "good", frequency: "daily", category_id: categories[0] };
  await idOf(fay, "/habits", habit);
  const inThem = { id: "3000000 + n", category_id: `${categories[0]} + n % 2` };
  await storeTodos(stack.config.databaseUrl, "fay", 450, inThem);
  await pool.query(
    `insert into reminders (user_id, todo_id, remind_at, status, created_at, updated_at)
     select user_id, id, '2099-01-01', 'scheduled', now(), now() from todos where user_id = 'fay' and id % 2 = 0`,
  );
  for (const copy of copies) await bringUpToDate(fay.get, copy);
  for (const id of categories) await fay.send("PATCH", `/categories/${id}`, { name: `New ${id}` });
  await bringUpToDate(fay.get, copies[0] ?? newCopy());
  const zoned = await issuer.token({ sub: "fay", zoneinfo: "Asia/Tokyo" });
  expect((await rest("GET", "/todos", { token: zoned })).status).toBe(200);
  await fay.send("DELETE", `/categories/${categories[1]}`);
  for (const copy of copies) {
    await bringUpToDate(fay.get, copy);
    await expectEqual(fay.get, copy);
    expect(copy.timesBegun).toBe(1);
  }
});

const beginAnew = "leave it out to start over.";

test("a cursor that is none, of another numbering or of the future is 422", async () => {
  const gil = await as("gil");
  const { next_cursor } = (await gil.get("/changes")).body;
  const [generation = "", since, xid] = next_cursor.split(".");
  const other = generation.startsWith("1") ? `2${generation.slice(1)}` : `1${generation.slice(1)}`;
  const refused = [
    "7",
    "a.b.c.d.e.f",
    `${generation}.${since}.18446744073709551616.0.0.0`,
    `${generation}.${since}.${xid}.3.0.9999999999999999`,
    `${other}.${since}.${xid}.0.0.0`,
    `${generation}.${since}.${BigInt(xid) + 1000n}.0.0.0`,
  ];
  for (const cursor of refused) {
    const { status, body } = await gil.get(`/changes?cursor=${cursor}`);
    expect([cursor, status, body.errors?.cursor?.[0]]).toEqual([
      cursor,
      422,
      expect.stringContaining(beginAnew),
    ]);
  }
  expect((await gil.get(`/changes?cursor=${next_cursor}`)).status).toBe(200);
});

test("deletions are forgotten after 30 days, and a cursor from before is told to begin anew", async () => {
  const hal = await as("hal");
  const gone = await idOf(hal, "/todos", { title: "Gone" });
  const copy = newCopy();
  await bringUpToDate(hal.get, copy);
  await hal.send("DELETE", `/todos/${gone}`);
  expect(await pruneDeletions(database, "29 days")).toBe(0);
  expect((await hal.get(`/changes?cursor=${copy.cursor}`)).status).toBe(200);
  // A copy begins before the oldest transaction under way, which another test may have.
  const settled = "select settled_xid > (select max(changed_xid) from deletions) as now from change_marks()";
  await eventually(async () => (await pool.query(settled)).rows[0].now);
  expect(await pruneDeletions(database, "31 days")).toBeGreaterThan(0);
  const { status, body } = await hal.get(`/changes?cursor=${copy.cursor}`);
  expect([status, body.errors.cursor]).toEqual([422, [expect.stringContaining(beginAnew)]]);
  await bringUpToDate(hal.get, copy);
  expect([copy.timesBegun, copy.resources.size]).toEqual([2, 0]);
  await bringUpToDate(hal.get, copy);
  expect(copy.timesBegun).toBe(2);
  // Rows older than the forgotten deletions take several pages.
  const bea = await as("bea");
  const big = newCopy();
  expect(await bringUpToDate(bea.get, big)).toBeGreaterThan(400);
  expect(big.timesBegun).toBe(1);
  await expectEqual(bea.get, big);
});

test("rows that were loaded from another cluster, where numbers are higher, are whole and change as others do", async () => {
  const ida = await as("ida");
  const category_id = await idOf(ida, "/categories", { name: "Home" });
  for (const title of ["One", "Two", "Three"]) await idOf(ida, "/todos", { title, category_id });
  await idOf(ida, "/habits", { name: "Walk", type: "good", frequency: "daily" });
  for (const table of ["users", "categories", "habits", "todos", "reminders"])
    await pool.query(`update ${table} set changed_xid = (changed_xid::text::bigint + 1000000)::text::xid8`);
  await pool.query("update change_horizon set system_identifier = 1, pruned_xid = '1000000'");
  await migrate(env.DATABASE_URL ?? "", "error");
  const copy = newCopy();
  await bringUpToDate(ida.get, copy);
  await expectEqual(ida.get, copy);
  await eventually(async () => (await bringUpToDate(ida.get, copy)) === 0);
  await ida.send("PATCH", `/categories/${category_id}`, { name: "House" });
  expect(await bringUpToDate(ida.get, copy)).toBe(4);
  await expectEqual(ida.get, copy);
});
