import { expect, test } from "bun:test";
import { eventually } from "../../support/reminder/stack.ts";
import { useUndoDoor, whole } from "../../support/undo-door.ts";

const { page, someone } = await useUndoDoor();
type Someone = Awaited<ReturnType<typeof someone>>;

const sql = async (text: string, values: readonly unknown[]) =>
  (await page.pool.query(text, [...values])).rows;

const isOver = (sub: string) => async () =>
  (await sql("select 1 from works where user_id = $1 and ended_at is null", [sub])).length === 0;

/**
 * Undoes all actions of the agent by one command.
 * @returns true if that took more than one step
 */
async function takeRunBack({ sub }: Someone): Promise<boolean> {
  const run = { token_id: `${sub}-1`, from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
  const { work_id } = await page.send(sub, "action.undo-run", run);
  await eventually(isOver(sub));
  return (await sql("select 1 from works where user_id = $1 and id = $2", [sub, work_id])).length > 0;
}

async function outcomesOf({ sub }: Someone): Promise<string[]> {
  const rows = await sql(
    `select case when undone_by is null then 'stands' when exists (select from action_log u
         where u.request_id = a.undone_by and u.arguments like '%"stayed"%') then 'in part' else 'whole' end as outcome
     from action_log a where user_id = $1 and token_id = $1 || '-1' and (before is not null or after is not null)`,
    [sub],
  );
  return rows.map(({ outcome }) => outcome);
}

/** Copies of a user's stored row, each with its own id. */
const copies = (table: "todos" | "habits", sub: string, id: number, count: number) =>
  sql(
    `insert into ${table} select (copy).* from (
       select jsonb_populate_record(t, jsonb_build_object('id', nextval('${table}_id_seq'))) as copy
       from ${table} t cross join generate_series(1, ${count}) where t.user_id = $1 and t.id = $2
     ) copies returning id::int as id`,
    [sub, id],
  );

/** Makes more todos than one part of an undo takes; how many parts a step has depends on the machine. */
async function makeTodos({ rest }: Someone): Promise<void> {
  const operation = { method: "POST", path: "/todos", body: { title: "x" } };
  const operations = Array.from({ length: 50 }, () => operation);
  for (let n = 0; n < 3; n++) await rest("POST", "/batch", { operations });
}

test("a category of a run stays for a todo that returns into it only in part, in a later part", async () => {
  const ada = await someone();
  const { rest, other } = ada;
  const { id: category_id } = (await rest("POST", "/categories", { name: "Moving" })).body;
  const { id: empty } = (await rest("POST", "/categories", { name: "Empty" })).body;
  const { id } = (await other("POST", "/todos", { title: "Cancel the lease", category_id })).body;
  await makeTodos(ada);
  await rest("PATCH", `/todos/${id}`, { title: "Lease", category_id: null });
  await other("PATCH", `/todos/${id}`, { title: "Cancel it" });
  await takeRunBack(ada);
  const outcomes = await outcomesOf(ada);
  expect(outcomes.filter((outcome) => outcome !== "whole").sort()).toEqual(["in part", "stands"]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject({
    title: "Cancel it",
    category: { id: category_id },
  });
  expect((await rest("GET", `/categories/${empty}`)).status).toBe(404);
  expect((await rest("GET", "/todos")).body.meta.total).toBe(1);
});

test("changes that were carried out in the other order than they came are taken back whole over a whole run", async () => {
  const ada = await someone();
  const { sub, rest, other, world } = ada;
  const { id } = (await other("POST", "/todos", { title: "Mine" })).body;
  const before = await world();
  await rest("PATCH", `/todos/${id}`, { title: "First" });
  await makeTodos(ada);
  await rest("PATCH", `/todos/${id}`, { title: "Second" });
  const [one, two] = await sql(
    "select called_at, request_id from action_log where user_id = $1 and tool = 'todo.update' order by called_at",
    [sub],
  );
  const move = "update action_log set called_at = $3 where user_id = $1 and request_id = $2";
  await sql(move, [sub, one?.request_id, two?.called_at]);
  await sql(move, [sub, two?.request_id, one?.called_at]);
  await takeRunBack(ada);
  expect(new Set(await outcomesOf(ada))).toEqual(new Set(["whole"]));
  expect(await world()).toEqual(before);
});

test("habits of many years come back by one command in one step, each with all that it was, and go again", async () => {
  const ada = await someone();
  const { sub, rest, other, changes, undo, world, log } = ada;
  const { id } = (await other("POST", "/habits", { name: "Read", type: "good", frequency: "daily" })).body;
  for (const habit_id of [id, ...(await copies("habits", sub, id, 5)).map((row) => row.id)])
    await sql(
      `insert into habit_completions (user_id, habit_id, local_date, completed_at)
       select $1, $2, date '2010-01-01' + n, now() from generate_series(1, 3650) n`,
      [sub, habit_id],
    );
  await sql(
    `update habits set completions_count = 3650, streak = 3650, streak_alive_through = '2020-01-01', longest_streak = 3650, done_from = '2010-01-02',
       done_days = repeat('1', 3650)::varbit, recent_dates = '{2019-12-27,2019-12-28,2019-12-29,2019-12-30}'
     where user_id = $1`,
    [sub],
  );
  const before = await world();
  for (const habit of before.habits ?? []) await rest("DELETE", `/habits/${habit.id}`);
  const deleted = (await changes()).slice(0, 6);
  expect(await undo(deleted, true)).toEqual(whole(6));
  expect(await takeRunBack(ada)).toBe(false);
  expect(await world()).toEqual(before);
  // Its completions pass through no worker, so no image has them.
  for (const { before, after } of await log()) expect(`${before}${after}`.length).toBeLessThan(10_000);
  for (const one of (await changes()).slice(0, 6)) expect(await undo([one])).toEqual(whole(1));
  expect((await world()).habit_completions).toHaveLength(0);
});

test("a category comes back at once and its many members in steps, but for those that are elsewhere by now", async () => {
  const ada = await someone();
  const { sub, rest, other, last, undo } = ada;
  const newCategory = async (name: string) => (await other("POST", "/categories", { name })).body;
  const [category, elsewhere] = [await newCategory("Home"), await newCategory("Work")];
  const { id } = (await other("POST", "/todos", { title: "Sweep", category_id: category.id })).body;
  await copies("todos", sub, id, 3_499);
  await rest("DELETE", `/categories/${category.id}`);
  await other("PATCH", `/todos/${id}`, { category_id: elsewhere.id });
  expect(await undo(await last(1))).toEqual(whole(1));
  await eventually(isOver(sub));
  const members = await sql(
    "select category_id::int as category_id, count(*)::int as count from todos where user_id = $1 group by 1 order by 2",
    [sub],
  );
  expect(members).toEqual([
    { category_id: elsewhere.id, count: 1 },
    { category_id: category.id, count: 3_499 },
  ]);
  const left = "select 1 from todos where user_id = $1 and former_category_id is not null";
  expect(await sql(left, [sub])).toEqual([]);
});
