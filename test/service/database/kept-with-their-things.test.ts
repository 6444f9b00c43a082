import { afterAll, expect, test } from "bun:test";
import { bringUp } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";

const database = await openEmptyDatabase();
afterAll(() => database.close());
const { pool } = database;

const habit = (id: number, isBefore = false) => `
  insert into habits (user_id, id, name, type, frequency, grace_days, completions_count, streak, longest_streak,
    recent_dates, ${isBefore ? "streak_state," : ""} created_at, updated_at)
  values ('ada', ${id}, 'Walk', 'good', 'daily', 0, 0, 0, 0, '{}', ${isBefore ? "'{}'," : ""} now(), now())`;
const todo = (id: number, category: number | null = null) => `
  insert into todos (user_id, id, title, category_id, is_completed, recurrence_from, created_at, updated_at)
  values ('ada', ${id}, 'Pay', ${category}, false, 'due', now(), now())`;
const category = (id: number) => `
  insert into categories (user_id, id, name, color, created_at, updated_at)
  values ('ada', ${id}, 'Home', '#112233', now(), now())`;
const deletion = (kind: number, id: number, ago: string, lists: string) => `
  insert into deletions (user_id, changed_xid, kind, id, deleted_at, completed_dates, completed_times, habit_ids, todo_ids)
  values ('ada', pg_current_xact_id(), ${kind}, ${id}, now() - interval '${ago}', ${lists})`;

const rows = async (text: string) => (await pool.query(text)).rows;

test("what tombstones listed stays with its things, from before the upgrade and from workers that are still old", async () => {
  await bringUp(database, { to: "20261210-works" });
  for (const text of [
    ...[category(1), habit(10, true), todo(20), todo(21, 1), todo(22), todo(23)],
    deletion(1, 2, "3 days", "null, null, '{10}', '{20,21,22}'"),
    deletion(1, 3, "2 days", "null, null, null, '{22}'"),
    deletion(
      2,
      11,
      "1 day",
      "'{2026-01-01,2026-01-02}', '{2026-01-01T10:00Z,2026-01-02T11:00Z}', null, null",
    ),
  ])
    await pool.query(text);
  await bringUp(database);
  const former = "select id::int as id, former_category_id::int as former from";
  expect(await rows(`${former} habits`)).toEqual([{ id: 10, former: 2 }]);
  expect(await rows(`${former} todos order by id`)).toEqual([
    { id: 20, former: 2 },
    { id: 21, former: null },
    { id: 22, former: 3 },
    { id: 23, former: null },
  ]);
  const completions = `
    select habit_id::int as habit, to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD HH24') as at
    from habit_completions order by local_date`;
  expect(await rows(completions)).toEqual([
    { habit: 11, at: "2026-01-01 10" },
    { habit: 11, at: "2026-01-02 11" },
  ]);
  await pool.query(habit(12));
  await pool.query("insert into habit_completions values ('ada', 12, '2026-02-02', '2026-02-02T12:00Z')");
  await pool.query("delete from habits where id = 12");
  await pool.query(deletion(2, 12, "0", "'{2026-02-02}', '{2026-02-02T12:00Z}', null, null"));
  await pool.query(deletion(1, 1, "0", "null, null, '{}', '{21}'"));
  await pool.query("update todos set category_id = null where category_id = 1");
  expect(await rows(`${former} todos where id = 21`)).toEqual([{ id: 21, former: 1 }]);
  expect(await rows(`${completions} offset 2`)).toEqual([{ habit: 12, at: "2026-02-02 12" }]);
  // A worker of the earlier release restores the rows in a tombstone, and these completions exist already.
  expect(await rows("select from deletions where completed_dates is not null")).toEqual([]);
});
