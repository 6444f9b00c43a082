import { beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { readDay } from "../../../api/queries/dashboard/read.ts";
import { createCoalescedReads } from "../../../api/queries/engine/coalesced-reads.ts";
import {
  createQueryContext,
  openQueryDatabase,
  type QueryContext,
} from "../../../api/queries/engine/context.ts";
import { readHabitInYear } from "../../../api/queries/habit/week.ts";
import { read } from "../../../api/queries/index.ts";
import { readTodoPage } from "../../../api/queries/todo/groups.ts";
import type { QueryName } from "../../../shared/contracts/catalogue.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { createDatabase, type JsonBody } from "../../harness.ts";
import { type Asked, readsOf } from "../../support/plans.ts";
import { openReads } from "../../support/reads.ts";
import { eventually } from "../../support/reminder/stack.ts";

const url = await createDatabase();
const { database } = await openReads(url, { connections: 1 });
const { pool } = database;

const history = 6_000;
const now = Date.parse("2026-06-15T12:00:00Z");
const today = "2026-06-15";

/** One user with a long history among many with a short one; the planner knows only their average. */
const seed = [
  `create temporary table owners as
   select 'long' as user_id, 0 as u, n from generate_series(1, ${history}) n
   union all select 'user ' || u, u, n from generate_series(1, 200) u, generate_series(1, 50) n`,
  `insert into users (user_id, time_zone, zone_source, zone_claimed_at, day_start_hour, created_at, updated_at)
   select distinct user_id, 'UTC', 'chosen', null::timestamptz, 0, now(), now() from owners`,
  `insert into categories (user_id, id, name, color, icon, created_at, updated_at)
   select distinct user_id, u * 10 + n % 3 + 1, 'Home', '#6b7280', null, now(), now() from owners`,
  `insert into habits (user_id, id, name, type, frequency, schedule, time_of_day, category_id, description, grace_days,
     completions_count, streak, streak_alive_through, longest_streak, next_due, recent_dates, created_at, updated_at)
   select user_id, u * 100 + n, 'Walk', 'good', 'daily', null, 'morning', u * 10 + n % 3 + 1, null,
     1, 0, 0, null, 0, null, '{}', now(), now() from owners where n <= 20`,
  `insert into habit_completions select user_id, u * 100 + 1 + n % 20, date '${today}' - n / 20, now() from owners where n < 2000`,
  `insert into todos (user_id, id, title, description, due_date, time_of_day, estimated_minutes, context, category_id,
     is_completed, completed_at, completed_on, recurrence, recurrence_from, recurrence_anchor, next_todo_id, created_at, updated_at)
   select user_id, u * 100000 + n, 'Todo ' || n, null, case when n % 10 > 0 then date '${today}' - 300 + n * 7 % 400 end,
     (array['morning', 'afternoon', 'evening', null])[1 + n / 2 % 4]::time_of_day, 15,
     case when n % 1000 < 3 then 'Rare' when n % 3 > 0 then (array['desk', 'Home'])[1 + n / 2 % 2] end,
     u * 10 + n % 3 + 1, n % 2 = 0, case when n % 2 = 0 then now() end,
     case when n % 2 = 0 then date '${today}' - n % 700 end, null, 'due', null, null, now(), now()
   from owners`,
  `insert into reminders (user_id, todo_id, remind_at, wall_time, status, created_at, updated_at)
   select user_id, id, now(), null, 'sent', now(), now() from todos where id % 2 = 0`,
  `insert into action_log (user_id, request_id, token_id, client_name, tool, arguments, outcome, replayed, calls, called_at, duration_ms)
   select 'long', gen_random_uuid(), 'token', null, case when n % 7000 = 0 then 'delete-todo' else 'toggle-todo' end,
     '{}', 'ok', false, 1, now() + n * interval '1 ms', 1 from generate_series(1, 20000) n`,
  "drop table owners",
  "vacuum analyze",
];

beforeAll(async () => {
  const sql = new SQL(url, { max: 1 });
  for (const statement of seed) await sql.unsafe(statement);
  await sql.close();
  // PostgreSQL switches to this generic plan after a few runs of a statement.
  await pool.query("set plan_cache_mode = force_generic_plan");
});

const fixed = { now, defaultTimeZone: "UTC", baseUrl: "http://kept.test" };
const contextOf = (userId: string, run = createCoalescedReads(pool)) =>
  createQueryContext({ ...fixed, userId, db: { ...openQueryDatabase(database), run } });

/** Every statement of these reads, alone and coalesced. */
const statementsOf = (name: QueryName, input: object): Promise<Asked[]> =>
  statementsIn((query) => read(name, query, input));

async function statementsIn(ask: (query: QueryContext) => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    asked.push(statement);
    return pool.query(statement);
  };
  const run = createCoalescedReads({ query } as never);
  const users = ["user 1", "user 2", "long", "user 3", "user 4"];
  await ask(contextOf("long", run));
  await Promise.all(users.map((user) => ask(contextOf(user, run))));
  return asked.filter(({ values }) => values.flat().includes("long"));
}

const statuses = ["incomplete", "completed", "all"];
const filters = [
  {},
  { due: "today" },
  { due: "overdue" },
  { due: "upcoming" },
  { context: "desk" },
  { context: "rare" },
  { time_of_day: "evening" },
  { context: "HOME", time_of_day: "morning", due: "overdue" },
  { due_from: "2026-06-01", due_to: "2026-06-30" },
  { category_id: 2 },
  { context: "desk", category_id: 72, due_to: "2026-07-01" },
];
const searches = [{ q: "todo 4" }, { q: "todo", context: "desk", category_id: 72, due: "upcoming" }];
const lists = statuses.flatMap((status) => filters.map((filter) => ({ status, ...filter })));
const cursor = "2026-03-01.morning.1234";
const reads: [QueryName, object][] = [
  ...lists.flatMap((list): [QueryName, object][] => [
    ["todo.list", list],
    ["todo.list", { ...list, page: 40 }],
  ]),
  ["todo.pending", {}],
  ["todo.pending", { overdue_only: true }],
  ["todo.pending", { context: "desk" }],
  ["todo.pending", { cursor }],
  ["todo.pending", { due: "upcoming", cursor }],
  ["todo.pending", { context: "desk", cursor }],
  ["todo.get", { todo_id: 77 }],
  ["habit.list", {}],
  ["habit.today", {}],
  ["category.list", {}],
  ["dashboard.get", {}],
];

type Bounds = Readonly<{ rows: number; entries: number; shared?: number }>;

/** Expects bounded reads of each statement. A coalesced one reads for five users; all of them share some entries. */
async function expectReads(
  statements: readonly Asked[],
  { rows, entries, shared = 0 }: Bounds,
): Promise<void> {
  for (const asked of statements) {
    const users = asked.values.some(Array.isArray) ? 5 : 1;
    const found = await readsOf(pool, asked);
    expect(found.rows).toBeLessThanOrEqual(rows * users);
    expect(found.entries).toBeLessThanOrEqual(shared + entries * users);
    expect(found.sorted).toBeLessThanOrEqual(rows * users);
  }
}

test.each(reads)("%s %j reads no more rows than it shows, and counts by an index", async (name, input) => {
  const rows = name === "dashboard.get" ? 400 : 110;
  await expectReads(await statementsOf(name, input), { rows, entries: 500, shared: 2 * history });
});

const reach = {
  reaches: "nobody",
  baseUrl: "https://kept.example",
  reader: { tokenId: "", name: null },
} as const;
const day = { date: today, timeZone: "UTC", lastMinute: `${today}T12:00`, ...reach };
const pages: [string, (query: QueryContext) => Promise<unknown>][] = [
  ["a day", (query) => readDay(query, 1)],
  ["a habit", (query) => readHabitInYear(query, 7, (date) => addDays(date, -365))],
  ["all todos", (query) => readTodoPage(query, day, { page: 1 })],
  ["the end of what is pending", (query) => readTodoPage(query, day, { page: 30 })],
  ["a group", (query) => readTodoPage(query, day, { group: { name: "overdue", firstWeekday: 1 }, page: 2 })],
  ["what is done", (query) => readTodoPage(query, day, { status: "completed", page: 1 })],
  ["what was done before", (query) => readTodoPage(query, day, { status: "completed", page: 3 })],
];

test.each(pages)("the page of %s reads no more todos than it shows and passes over", async (_, ask) => {
  await expectReads(await statementsIn(ask), { rows: 700, entries: 2_500, shared: 2 * history });
});

test("a page of changes reads what it shows: the first, one in the middle, none, and a category's new name", async () => {
  const first: JsonBody = await read("change.list", contextOf("long"), {});
  const [generation, since] = first.next_cursor.split(".");
  const last = `${generation}.${since}.${since}.0.0.0`;
  await pool.query("update categories set changed_xid = default where user_id = 'long' and id = 1");
  for (const input of [{}, { cursor: first.next_cursor }, { cursor: last }])
    await expectReads(await statementsOf("change.list", input), { rows: 1_000, entries: 1_000 });
  // Transaction numbers belong to the whole server: an open transaction of another test keeps later ones unsettled.
  const renamed = await eventually(async () => {
    const page: JsonBody = await read("change.list", contextOf("long"), { cursor: last });
    return page.has_more && page;
  });
  expect(renamed.data).toHaveLength(200);
});

const searching: [QueryName, object][] = [
  ...searches.flatMap((search): [QueryName, object][] => [
    ["todo.list", { status: "all", ...search }],
    ["todo.list", { ...search, page: 3 }],
  ]),
  ["todo.pending", { query: "todo 4" }],
  ["todo.pending", { query: "todo 4", cursor }],
];

test.each(searching)("%s %j travels alone and reads each todo of the user once", async (name, input) => {
  for (const asked of await statementsOf(name, input)) {
    expect(asked.text).not.toContain("k.p1");
    const { rows } = await readsOf(pool, asked);
    expect([rows <= history + 500, rows]).toEqual([true, rows]);
  }
});

test("a search of pending todos that finds none looks once", async () => {
  const asked = await statementsOf("todo.pending", { query: "absent" });
  const askedTwice = 2;
  expect(asked.filter(({ text }) => text.includes(" ~ "))).toHaveLength(askedTwice);
});

test.each([...lists, ...statuses.flatMap((status) => searches.map((search) => ({ status, ...search })))])(
  "the pages of %j are the whole list, in order",
  async (list) => {
    const context = contextOf("user 7");
    const ids: number[] = [];
    for (let page = 1, last = 1; page <= last; page++) {
      const answer: JsonBody = await read("todo.list", context, { ...list, page });
      ids.push(...answer.data.map(({ id }: { id: number }) => id));
      last = answer.meta.last_page;
      expect(answer.meta.total).toBe((await expected(list)).length);
    }
    expect(ids).toEqual(await expected(list));
  },
);

test("pending todos go on after any of them, dated or not", async () => {
  const ids = await expected({ status: "incomplete" });
  const context = contextOf("user 7");
  const found: number[] = [];
  for (let next: string | null | undefined; next !== null; ) {
    const answer: JsonBody = await read("todo.pending", context, { limit: 1, ...(next && { cursor: next }) });
    found.push(...answer.todos.map(({ id }: { id: number }) => id));
    expect(answer.total).toBe(ids.length);
    next = answer.next_cursor;
  }
  expect(found).toEqual(ids);
});

test("a page of the action log looks at a bounded number of calls, and the next goes on from there", async () => {
  for (const asked of await statementsOf("action.list", { tool: "delete-todo" })) {
    const { rows, entries } = await readsOf(pool, asked);
    expect(rows + entries).toBeLessThanOrEqual(5_100);
  }
  const found: string[] = [];
  let pages = 0;
  for (let next: string | null | undefined; next !== null; pages++) {
    const input = { tool: "delete-todo", ...(next && { cursor: next }) };
    const answer: JsonBody = await read("action.list", contextOf("long"), input);
    found.push(...answer.actions.map(({ request_id }: { request_id: string }) => request_id));
    next = answer.next_cursor;
  }
  expect([new Set(found).size, found.length, pages]).toEqual([2, 2, 5]);
});

type Wanted = Readonly<{
  status: string;
  due?: string;
  context?: string;
  time_of_day?: string;
  due_from?: string;
  due_to?: string;
  category_id?: number;
  q?: string;
}>;

/** The same list by plain SQL over all rows of the user. */
async function expected(list: Wanted) {
  const { rows } = await pool.query<{ id: number }>(
    `select id from todos where user_id = 'user 7'
       and ($1 = 'all' or is_completed = ($1 = 'completed'))
       and ($2::text is null or case $2 when 'today' then due_date = $5::date
         when 'overdue' then due_date < $5::date and not is_completed else due_date > $5::date end)
       and ($3::text is null or lower(ltrim(context, '@')) = lower(ltrim($3, '@'))) and ($4::text is null or time_of_day::text = $4)
       and ($6::date is null or due_date >= $6) and ($7::date is null or due_date <= $7)
       and ($8::bigint is null or category_id = $8) and not exists (select 1 from string_to_table($9, ' ') word where strpos(lower(title), word) = 0)
     order by due_date nulls last, time_of_day nulls last, id`,
    [
      ...[list.status, list.due, list.context, list.time_of_day, today],
      ...[list.due_from, list.due_to, list.category_id, list.q],
    ],
  );
  return rows.map(({ id }) => id);
}
