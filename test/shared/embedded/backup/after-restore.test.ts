import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { makeUpFor } from "../../../../shared/embedded/backup/after-restore.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { takeDueDigests, takeDueHabits } from "../../../../workers/reminder/tick.ts";
import { lastFullHour, zoneWhere } from "../../../support/reminder/zones.ts";
import { createDatabase } from "../../../support/servers/services.ts";

const minuteMs = 60_000;
const minuteOf = (at: number) => new Date(at).toISOString().slice(0, 16);

async function openRestored() {
  const url = await createDatabase();
  const sql = new SQL(url, { max: 1 });
  const log = createLog("test", "error");
  const database = await openDatabase({ url, log });
  afterAll(() => Promise.all([sql.close(), database.close()]));
  return {
    sql,
    /** The store of a service that looks so much later. */
    storeIn: (travel: string) => ({ database, travel: () => travel, defaultTimeZone: "UTC", log }),
    // The servers of all tests keep the password of their role.
    makeUp: () =>
      makeUpFor(url, { password: new URL(url).password, lostBytes: 0, sentUntil: new Date().toISOString() }),
  };
}

test("a habit that may have rung before a restore rings on the next day, as one that is due later rings today", async () => {
  const { sql, storeIn, makeUp } = await openRestored();
  const [passed, ahead] = [Date.now() - 5 * minuteMs, Date.now() + 5 * minuteMs];
  const insert = (id: number, at: number) => sql`
    insert into habits (user_id, id, name, type, frequency, grace_days, completions_count, streak, longest_streak,
      recent_dates, remind_at, rings_at, created_at, updated_at)
    values ('ada', ${id}, 'Run', 'good', 'daily', 1, 0, 0, 0, '{}',
      ${minuteOf(at).slice(11)}, ${`${minuteOf(at)}Z`}::timestamptz, now(), now())`;
  await insert(1, passed);
  await insert(2, ahead);
  expect(await makeUp()).toBe(1);
  expect((await takeDueHabits(storeIn("10 minutes"), 10)).taken).toBe(2);
  const rung = await sql`select habit_id::int as id from reminder_deliveries`;
  expect(rung.map(({ id }: { id: number }) => id)).toEqual([2]);
  const [next] = await sql`select rings_at from habits where id = 1`;
  expect(minuteOf(next.rings_at.getTime())).toBe(minuteOf(passed + 24 * 60 * minuteMs));
});

test("a digest that may have come before a restore comes on the next day, as one that is due later comes today", async () => {
  const { sql, storeIn, makeUp } = await openRestored();
  const passed = lastFullHour();
  const insert = (user: string, timeZone: string, at: number) => sql`
    insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, digest, digest_at, created_at, updated_at)
    values (${user}, ${timeZone}, 'chosen', 0, 'log', 'daily', ${new Date(at).toISOString()}::timestamptz, now(), now())`;
  await insert("passed", zoneWhere(8, passed).name, passed.getTime());
  await insert("ahead", zoneWhere(7, passed).name, passed.getTime() + 60 * minuteMs);
  await makeUp();
  expect(await takeDueDigests(storeIn("1 hour"), 10)).toMatchObject({ taken: 2, users: ["ahead"] });
  const [next] = await sql`select digest_at from users where user_id = 'passed'`;
  expect(next.digest_at.getTime()).toBe(passed.getTime() + 24 * 60 * minuteMs);
});
