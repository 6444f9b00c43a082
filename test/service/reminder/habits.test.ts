import { beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { asAccountPage, eventually, query, reminding } from "../../support/reminder/stack.ts";

setDefaultTimeout(30_000);
const stack = await useStack({ travels: true });
const { rest, config } = stack;
const { travelTo } = reminding(stack);
let secret = "";
const receiver = startReceiver(() => secret);

const accept = () => new Response(null, { status: 204 });
const refuse = () => new Response(null, { status: 503 });
const configure = (fields: object) => asAccountPage(stack, "user.configure", fields);

beforeAll(async () => {
  secret = (await configure({ reminder_channel: "webhook", webhook_url: receiver.url })).webhook_secret;
});
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
  query(
    config.databaseUrl,
    "select * from reminder_deliveries where habit_id = $1 order by scheduled_at, created_at",
    [habit],
  );
const lastIs = (habit: number, status: string) =>
  eventually(async () => (await deliveriesOf(habit)).at(-1)?.status === status);

/** Waits until a tick has taken everything that is due, by a habit that came due last. */
async function tickPasses(): Promise<void> {
  const now = new Date(stack.clock.now ?? 0);
  const habit = await atSeven({ remind_at: now.toISOString().slice(11, 16) });
  const sql = "update habits set rings_at = $2::timestamptz, rang_on = null where id = $1";
  await query(config.databaseUrl, sql, [habit, `${now.toISOString().slice(0, 16)}Z`]);
  await lastIs(habit, "sent");
}

test("a habit's reminder comes once on each day on which it is not done, with the habit in place of a todo", async () => {
  const habit = await atSeven();
  await tickPasses();
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
  await tickPasses();
  expect(await deliveriesOf(habit)).toHaveLength(1);
  travelTo("2026-11-21T06:00:00Z");
  await complete(habit);
  travelTo("2026-11-21T07:00:01Z");
  await tickPasses();
  expect(await deliveriesOf(habit)).toHaveLength(1);
  travelTo("2026-11-22T07:00:01Z");
  await eventually(() => eventsOf(habit).length === 2);
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
  const sql =
    "select called_at::text, request_id from action_log where resource_id = $1 and tool = 'habit.delete'";
  const actions = await query(config.databaseUrl, sql, [restored]);
  await asAccountPage(stack, "action.undo", { actions });
  expect((await rest("PATCH", `/habits/${cleared}`, { body: { remind_at: null } })).body).toMatchObject({
    remind_at: null,
    reaches: null,
  });
  travelTo("2026-11-20T07:00:00Z");
  await lastIs(undone, "sent");
  await lastIs(restored, "sent");
  await tickPasses();
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
    (
      await query(config.databaseUrl, "select rings_at at time zone 'UTC' as at from habits where id = $1", [
        habit,
      ])
    )[0].at;
  expect(new Date(await ringsAt(early)).toISOString()).toStartWith("2026-11-21T12:00");
  expect(new Date(await ringsAt(late)).toISOString()).toStartWith("2026-11-21T06:00");
  await configure({ time_zone: "UTC", day_start_hour: 0 });
});

test("a failed ring is sent again once, while its habit is not done", async () => {
  receiver.behaviour.answer = refuse;
  const habit = await atSeven();
  travelTo("2026-11-20T07:00:00Z");
  await lastIs(habit, "retrying");
  const [{ id: delivery_id }] = await deliveriesOf(habit);
  await query(
    config.databaseUrl,
    "update reminder_deliveries set status = 'failed', finished_at = now() where id = $1",
    [delivery_id],
  );
  receiver.behaviour.answer = accept;
  const again = () => asAccountPage(stack, "reminder.send-again", { habit_id: habit, delivery_id });
  expect(await again()).toEqual({ delivery_id: expect.any(String) });
  expect(await again()).toMatchObject({ code: "conflict" });
  await lastIs(habit, "sent");
});

test("answers say whether a habit's reminder reaches anybody, and refuse what is no time of day", async () => {
  const habit = await atSeven();
  expect((await rest("GET", `/habits/${habit}`)).body).toMatchObject({
    remind_at: "07:00",
    reaches: "webhook",
  });
  await configure({ reminder_channel: "log" });
  const { body } = await rest("PATCH", `/habits/${habit}`, { body: { remind_at: "21:15" } });
  expect(body).toMatchObject({ remind_at: "21:15", reaches: "nobody" });
  const { call } = await agent(stack);
  const created = await call("create-habit", { name: "Stretch", remind_at: "06:45" });
  expect(created.text).toContain("reminds at 06:45");
  expect(created.text).toContain("reaches nobody");
  expect(created.facts.habit).toMatchObject({ remind_at: "06:45", reaches: "nobody" });
  await configure({ reminder_channel: "webhook" });
  for (const remind_at of ["7:00", "24:00", "07:00:00", "2026-11-20T07:00", 7, ""]) {
    const { status } = await rest("PATCH", `/habits/${habit}`, { body: { remind_at } });
    expect([remind_at, status]).toEqual([remind_at, 422]);
  }
});
