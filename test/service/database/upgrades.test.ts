import { afterAll, expect, test } from "bun:test";
import { bringUp } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";

/** An empty database at this migration. */
async function databaseAt(to: string) {
  const database = await openEmptyDatabase();
  afterAll(() => database.close());
  await bringUp(database, { to });
  const rows = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
  return { rows, upgrade: () => bringUp(database) };
}

async function twoIds(beforeUpgrade: string) {
  const { rows, upgrade } = await databaseAt("20261124-replies");
  await rows(beforeUpgrade);
  await upgrade();
  const ids = await rows("select nextval('todos_id_seq')::int as id from generate_series(1, 2)");
  return ids.map(({ id }) => id);
}

test("ids grow one by one", async () => {
  const [first, second] = await twoIds("select");
  expect(second - first).toBe(1);
});

test("in use, ids leave room for the hundred that a worker of an earlier release takes with one", async () => {
  const [first, second] = await twoIds(`
    insert into users (user_id, time_zone, zone_source, day_start_hour, created_at, updated_at)
    values ('ada', 'UTC', 'default', 0, now(), now())`);
  expect(second - first).toBe(100);
});

/** A command id as a front door made it that long ago. */
const idFrom = (minutesAgo: number) => Bun.randomUUIDv7("hex", Date.now() - minutesAgo * 60_000);

test("replies and calls that are still needed move into the partitions, whatever their times", async () => {
  const { rows, upgrade } = await databaseAt("20261124-replies");
  const replies = [
    { id: idFrom(1), key: "", ago: "1 minute" },
    { id: idFrom(29), key: "", ago: "28 minutes" },
    { id: idFrom(300), key: "", ago: "2 minutes" },
    { id: idFrom(90), key: "", ago: "90 minutes" },
    { id: crypto.randomUUID(), key: "fingerprint", ago: "23 hours" },
    { id: crypto.randomUUID(), key: "fingerprint", ago: "25 hours" },
  ];
  for (const { id, key, ago } of replies)
    await rows(`insert into inbox values ('ada', $1, $2, '{"body":1}', now() - $3::interval)`, [
      id,
      key,
      ago,
    ]);
  for (const ago of ["0", "40 days", "399 days", "5 years", "-90 days"])
    await rows(
      `insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
       values ('ada', gen_random_uuid(), 't', 'x', '{}', 'ok', false, now() - $1::interval, 1)`,
      [ago],
    );
  await upgrade();
  const kept = await rows("select command_id, keyed from inbox order by command_id");
  const wanted = [0, 1, 2, 4].map((index) => ({ command_id: replies[index]?.id, keyed: index === 4 }));
  expect(kept).toEqual(
    wanted.toSorted((one, other) => ((one.command_id ?? "") < (other.command_id ?? "") ? -1 : 1)),
  );
  const calls = await rows("select count(*)::int as rows, sum(calls)::int as calls from action_log");
  expect(calls).toEqual([{ rows: 5, calls: 5 }]);
  const partitions = await rows("select count(*)::int as count from list_partitions('action_log')");
  expect(partitions[0].count).toBeWithin(15, 19);
});

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

test("what tombstones listed stays with its things, from before the upgrade and from workers that are still old", async () => {
  const { rows, upgrade } = await databaseAt("20261210-works");
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
    await rows(text);
  await upgrade();
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
  await rows(habit(12));
  await rows("insert into habit_completions values ('ada', 12, '2026-02-02', '2026-02-02T12:00Z')");
  await rows("delete from habits where id = 12");
  await rows(deletion(2, 12, "0", "'{2026-02-02}', '{2026-02-02T12:00Z}', null, null"));
  await rows(deletion(1, 1, "0", "null, null, '{}', '{21}'"));
  await rows("update todos set category_id = null where category_id = 1");
  expect(await rows(`${former} todos where id = 21`)).toEqual([{ id: 21, former: 1 }]);
  expect(await rows(`${completions} offset 2`)).toEqual([{ habit: 12, at: "2026-02-02 12" }]);
  // A worker of the earlier release restores the rows in a tombstone, and these completions exist already.
  expect(await rows("select from deletions where completed_dates is not null")).toEqual([]);
});
