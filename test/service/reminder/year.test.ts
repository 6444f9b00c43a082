import { expect, setDefaultTimeout, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { firstMinute } from "../../support/reminder/first-minute.ts";
import { asAccountPage, query, reminding } from "../../support/reminder/stack.ts";

setDefaultTimeout(180_000);
// Their timers are shifted, so one of them soon notices the moved clock.
const stack = await useStack({ travels: true });
const { rest } = stack;
const { travelTo, createTodo, remind, statusBecomes, deliveriesOf } = reminding(stack);

const ticks = 50;
/** The zone from each week on; in Berlin the clocks change on 28 March and 31 October. */
const zones = new Map([
  [0, "Europe/Berlin"],
  [20, "America/New_York"],
  [36, "Europe/Berlin"],
]);

const dateOf = (week: number, days: number): string =>
  new Date(Date.UTC(2027, 0, 3 + 7 * week + days)).toISOString().slice(0, 10);
const complete = async (todo: number): Promise<number> =>
  (await rest("POST", `/todos/${todo}/toggle`, { body: { is_completed: true } })).body.next_todo_id;
const weekly = (due_date: string) => createTodo({ due_date, recurrence: "FREQ=WEEKLY" });

/** All deliveries of a todo: the time of each, and whether it rang within a minute. */
async function ringsOf(todo: number) {
  const rows = await query(
    stack.config.databaseUrl,
    `select scheduled_at, status, created_at >= scheduled_at and not late as in_time
     from reminder_deliveries where todo_id = $1`,
    [todo],
  );
  return rows.map(({ scheduled_at, ...row }) => ({ at: scheduled_at.getTime(), ...row }));
}

test("a weekly todo that is ticked 50 times rings once on each due date, over two zones and both changes of the clocks", async () => {
  travelTo("2027-01-01T12:00:00Z");
  await asAccountPage(stack, "user.configure", { time_zone: zones.get(0) });
  let timeZone = "";
  let [onItsDay, dayBefore] = [await weekly(dateOf(0, 0)), await weekly(dateOf(0, 1))];
  await remind(onItsDay, `${dateOf(0, 0)}T02:30`);
  await remind(dayBefore, new Date(firstMinute(dateOf(0, 0), "02:30", "Europe/Berlin")).toISOString());
  const rung: { todo: number; at: number }[] = [];
  for (let week = 0; week < ticks; week++) {
    const time_zone = zones.get(week) ?? timeZone;
    if (time_zone !== timeZone) await asAccountPage(stack, "user.configure", { time_zone });
    timeZone = time_zone;
    const at = firstMinute(dateOf(week, 0), "02:30", timeZone);
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
  for (const todo of [onItsDay, dayBefore]) expect(await deliveriesOf(todo)).toEqual([]);
});

test("an occurrence that nobody ticks rings again on each later date to which it is moved", async () => {
  travelTo("2027-12-24T12:00:00Z");
  await asAccountPage(stack, "user.configure", { time_zone: "Europe/Berlin" });
  const todo = await weekly("2027-12-26");
  await remind(todo, "2027-12-25T18:00");
  const move = (due_date: string) => rest("PATCH", `/todos/${todo}`, { body: { due_date } });
  const at = ["2027-12-25T17:00:00Z", "2028-01-01T17:00:00Z", "2028-01-11T17:00:00Z"];
  travelTo(at[0] ?? "");
  await statusBecomes(todo, "unsent");
  expect((await move("2028-01-02")).body.reminder).toMatchObject({ status: "scheduled" });
  travelTo(at[1] ?? "");
  await statusBecomes(todo, "unsent");
  await move("2028-01-05");
  await move("2028-01-12");
  travelTo("2028-01-04T17:00:30Z");
  const other = await createTodo();
  await remind(other, "2028-01-04T17:00:30Z");
  await statusBecomes(other, "unsent");
  travelTo(at[2] ?? "");
  await statusBecomes(todo, "unsent");
  const rings = (await ringsOf(todo)).map((ring) => ring.at).sort();
  expect(rings).toEqual(at.map((time) => Date.parse(time)));
});
