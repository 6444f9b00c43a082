import { expect, test } from "bun:test";
import { firstMinute } from "../../support/reminder/first-minute.ts";
import { useReminders } from "../../support/reminder/stack.ts";

const { rest, travelTo, createTodo, remind, statusBecomes, configure, tick, rows } = await useReminders();

/** The zone from each week of 2027 on; in Berlin the clocks change in the weeks 12 and 43. */
const zones = new Map([
  [0, "Europe/Berlin"],
  [20, "America/New_York"],
  [36, "Europe/Berlin"],
]);
const weeks = 46;

const dateOf = (week: number, days: number): string =>
  new Date(Date.UTC(2027, 0, 3 + 7 * week + days)).toISOString().slice(0, 10);
const complete = async (todo: number): Promise<number> =>
  (await rest("POST", `/todos/${todo}/toggle`, { body: { is_completed: true } })).body.next_todo_id;
const weekly = (due_date: string) => createTodo({ due_date, recurrence: "FREQ=WEEKLY" });

/** All deliveries of a todo: the time of each, and whether it rang within a minute. */
async function ringsOf(todo: number) {
  const found = await rows(
    `select extract(epoch from scheduled_at)::float8 * 1000 as at, status,
       created_at >= scheduled_at and not late as in_time
     from reminder_deliveries where todo_id = $1 order by 1`,
    [todo],
  );
  return found.map(({ at, ...row }) => ({ at: Number(at), ...row }));
}

test("a weekly todo that is ticked each week rings once on each due date, over two zones and both changes of the clocks", async () => {
  travelTo("2027-01-01T12:00:00Z");
  let timeZone = "";
  let [onItsDay, dayBefore] = [0, 0];
  const rung: { todo: number; at: number }[] = [];
  for (let week = 0; week < weeks; week++) {
    const time_zone = zones.get(week) ?? timeZone;
    if (time_zone !== timeZone) await configure({ time_zone });
    timeZone = time_zone;
    const at = firstMinute(dateOf(week, 0), "02:30", timeZone);
    if (week === 0) {
      [onItsDay, dayBefore] = [await weekly(dateOf(0, 0)), await weekly(dateOf(0, 1))];
      await remind(onItsDay, `${dateOf(0, 0)}T02:30`);
      await remind(dayBefore, new Date(at).toISOString());
    }
    travelTo(new Date(at).toISOString());
    for (const todo of [onItsDay, dayBefore]) {
      await statusBecomes(todo, "unsent");
      rung.push({ todo, at });
    }
    travelTo(`${dateOf(week, 1)}T16:00:00Z`);
    [onItsDay, dayBefore] = [await complete(onItsDay), await complete(dayBefore)];
  }
  for (const { todo, at } of rung)
    expect([todo, await ringsOf(todo)]).toEqual([todo, [{ at, status: "unsent", in_time: true }]]);
  for (const todo of [onItsDay, dayBefore]) expect(await ringsOf(todo)).toEqual([]);
});

test("an occurrence that nobody ticks rings again on each later date to which it is moved", async () => {
  travelTo("2027-12-24T12:00:00Z");
  await configure({ time_zone: "Europe/Berlin" });
  const todo = await weekly("2027-12-26");
  await remind(todo, "2027-12-25T18:00");
  const move = (due_date: string) => rest("PATCH", `/todos/${todo}`, { body: { due_date } });
  const ringAt = async (time: string) => {
    travelTo(time);
    await statusBecomes(todo, "unsent");
  };
  const at = ["2027-12-25T17:00:00Z", "2028-01-01T17:00:00Z", "2028-01-11T17:00:00Z"] as const;
  await ringAt(at[0]);
  expect((await move("2028-01-02")).body.reminder).toMatchObject({ status: "scheduled" });
  await ringAt(at[1]);
  await move("2028-01-05");
  await move("2028-01-12");
  travelTo("2028-01-04T17:00:30Z");
  await tick();
  await ringAt(at[2]);
  expect((await ringsOf(todo)).map((ring) => ring.at)).toEqual(at.map((time) => Date.parse(time)));
});
