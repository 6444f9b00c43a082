import { beforeEach, expect, test } from "bun:test";
import { agent } from "../../support/mcp.ts";
import { answering } from "../../support/reminder/receiver.ts";
import { eventually, useReminders } from "../../support/reminder/stack.ts";

const reminders = await useReminders();
const { rest, travelTo, tick, configure, send, undo, rows } = reminders;
const receiver = await reminders.useWebhook();
const [accept, refuse] = [answering(204), answering(503)];

beforeEach(() => {
  travelTo("2026-11-20T06:00:00Z");
  receiver.behaviour.answer = accept;
});

/** A daily habit that reminds at 07:00. */
async function atSeven(fields: object = {}): Promise<number> {
  const body = { name: "Run", type: "good", frequency: "daily", remind_at: "07:00", ...fields };
  return (await rest("POST", "/habits", { body })).body.id;
}

const complete = (habit: number) => rest("POST", `/habits/${habit}/complete`);
const eventsOf = (habit: number) => receiver.received.filter(({ event }) => event.data.habit?.id === habit);
const deliveriesOf = (habit: number) =>
  rows("select * from reminder_deliveries where habit_id = $1 order by scheduled_at, created_at", [habit]);

/** Waits until what is due of a habit has ended so. */
async function lastIs(habit: number, status: string): Promise<void> {
  await tick();
  await eventually(async () => (await deliveriesOf(habit)).at(-1)?.status === status);
}

test("a habit's reminder comes once on each day on which it is not done, with the habit in place of a todo", async () => {
  const habit = await atSeven();
  const onMondays = await atSeven({ frequency: "custom", schedule: { weekdays: [1] } });
  await tick();
  expect(await deliveriesOf(habit)).toEqual([]);
  travelTo("2026-11-20T07:00:01Z");
  await lastIs(habit, "sent");
  expect(eventsOf(habit)[0]?.event.data).not.toHaveProperty("todo");
  expect(eventsOf(habit).map(({ event }) => event)).toMatchObject([
    {
      type: "reminder.due",
      timestamp: "2026-11-20T07:00:00.000000Z",
      data: {
        delivery_id: expect.any(String),
        habit: { id: habit, name: "Run" },
        remind_at: "2026-11-20T07:00:00.000000Z",
        local_time: "2026-11-20T07:00:00",
        time_zone: "UTC",
        late: false,
      },
    },
  ]);
  await complete(habit);
  await rest("DELETE", `/habits/${habit}/complete`);
  travelTo("2026-11-20T23:00:00Z");
  await tick();
  expect(await deliveriesOf(habit)).toHaveLength(1);
  travelTo("2026-11-21T06:00:00Z");
  await complete(habit);
  travelTo("2026-11-21T07:00:01Z");
  await tick();
  expect(await deliveriesOf(habit)).toHaveLength(1);
  travelTo("2026-11-22T07:00:01Z");
  await tick();
  await eventually(() => eventsOf(habit).length === 2);
  expect(await deliveriesOf(onMondays)).toEqual([]);
  travelTo("2026-11-23T07:00:01Z");
  await lastIs(onMondays, "sent");
});

test("a ring on its way is cancelled when its habit is done, deleted or given another time", async () => {
  receiver.behaviour.answer = refuse;
  const habits = [await atSeven(), await atSeven(), await atSeven()] as const;
  travelTo("2026-11-20T07:00:00Z");
  for (const habit of habits) await lastIs(habit, "retrying");
  const [done, deleted, moved] = habits;
  await complete(done);
  await rest("DELETE", `/habits/${deleted}`);
  await rest("PATCH", `/habits/${moved}`, { body: { remind_at: "08:00" } });
  receiver.behaviour.answer = accept;
  travelTo("2026-11-20T07:10:00Z");
  for (const habit of habits) await lastIs(habit, "cancelled");
  for (const habit of habits) expect(eventsOf(habit)).toHaveLength(1);
  travelTo("2026-11-20T08:00:00Z");
  await lastIs(moved, "sent");
});

test("a completion that is taken back in time, and a deleted habit that comes back, ring; a cleared time does not", async () => {
  const [undone, restored, cleared] = [await atSeven(), await atSeven(), await atSeven()];
  await complete(undone);
  await rest("DELETE", `/habits/${undone}/complete`);
  await rest("DELETE", `/habits/${restored}`);
  await undo(restored, "habit.delete");
  const { body } = await rest("PATCH", `/habits/${cleared}`, { body: { remind_at: null } });
  expect(body).toMatchObject({ remind_at: null, reaches: null });
  travelTo("2026-11-20T07:00:00Z");
  await lastIs(undone, "sent");
  await lastIs(restored, "sent");
  await tick();
  expect(await deliveriesOf(cleared)).toEqual([]);
});

test("after downtime the last day rings late, and one more than a day ago is missed", async () => {
  const habit = await atSeven();
  travelTo("2026-11-23T07:30:00Z");
  await lastIs(habit, "sent");
  const deliveries = await deliveriesOf(habit);
  expect(deliveries.map(({ status, late }) => [status, late])).toEqual([
    ["missed", true],
    ["sent", true],
  ]);
  expect(eventsOf(habit).map(({ event }) => event.data.local_time)).toEqual(["2026-11-23T07:00:00"]);
});

test("the time follows its user to another zone and start of day, and a day rings once", async () => {
  const [early, late] = [await atSeven(), await atSeven({ remind_at: "01:00" })];
  travelTo("2026-11-20T07:00:00Z");
  await lastIs(early, "sent");
  await configure({ time_zone: "America/New_York", day_start_hour: 3 });
  const ringsAt = async (habit: number) =>
    (await rows("select rings_at::text as at from habits where id = $1", [habit]))[0].at;
  expect(await ringsAt(early)).toStartWith("2026-11-21 12:00");
  expect(await ringsAt(late)).toStartWith("2026-11-21 06:00");
  await configure({ time_zone: "UTC", day_start_hour: 0 });
});

test("a failed ring is sent again once, while its habit is not done", async () => {
  receiver.behaviour.answer = refuse;
  const habit = await atSeven();
  travelTo("2026-11-20T07:00:00Z");
  await lastIs(habit, "retrying");
  const [{ id: delivery_id }] = await deliveriesOf(habit);
  const fail = "update reminder_deliveries set status = 'failed', finished_at = now() where id = $1";
  await rows(fail, [delivery_id]);
  receiver.behaviour.answer = accept;
  const again = () => send("reminder.send-again", { habit_id: habit, delivery_id });
  expect(await again()).toEqual({ delivery_id: expect.any(String) });
  expect(await again()).toMatchObject({ code: "conflict" });
  await lastIs(habit, "sent");
});

test("answers say whether a habit's reminder reaches anybody, and refuse what is no time of day", async () => {
  const habit = await atSeven();
  const shown = { remind_at: "07:00", reaches: "webhook" };
  expect((await rest("GET", `/habits/${habit}`)).body).toMatchObject(shown);
  await configure({ reminder_channel: "log" });
  const { body } = await rest("PATCH", `/habits/${habit}`, { body: { remind_at: "21:15" } });
  expect(body).toMatchObject({ remind_at: "21:15", reaches: "nobody" });
  const { call } = await agent(reminders);
  const created = await call("create-habit", { name: "Stretch", remind_at: "06:45" });
  for (const said of ["reminds at 06:45", "reaches nobody"]) expect(created.text).toContain(said);
  expect(created.facts.habit).toMatchObject({ remind_at: "06:45", reaches: "nobody" });
  await configure({ reminder_channel: "webhook" });
  for (const remind_at of ["7:00", "24:00", "07:00:00", "2026-11-20T07:00", 7, ""]) {
    const { status } = await rest("PATCH", `/habits/${habit}`, { body: { remind_at } });
    expect([remind_at, status]).toEqual([remind_at, 422]);
  }
});
