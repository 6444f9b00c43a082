import { expect, test } from "bun:test";
import { useReminders } from "../../support/reminder/stack.ts";

const { rest, ...reminders } = await useReminders();
const { travelTo, createTodo, remind, toggle, reminderOf, statusBecomes, deliveriesOf } = reminders;
const { tick, configure, send, undo, rows } = reminders;

/** A todo whose reminder is set at 08:00 for 09:00 on 21 November 2026, in UTC. */
async function remindAtNine(): Promise<number> {
  travelTo("2026-11-21T08:00:00Z");
  // A tick of a worker may still be at the later time of the test before; after this one it has ended.
  await tick();
  const todo = await createTodo();
  await remind(todo, "2026-11-21T09:00:00Z");
  return todo;
}

async function nothingIsDelivered(todo: number): Promise<void> {
  await tick();
  expect(await deliveriesOf(todo)).toEqual([]);
}

test("a due reminder is tried once, and marked unsent while no channel is chosen; one that is not due waits", async () => {
  travelTo("2026-11-21T08:00:00Z");
  const [todo, later] = [await createTodo(), await createTodo()];
  await remind(later, "2026-11-21T08:00:30Z");
  expect((await remind(todo, "2026-11-21T09:00:00+01:00")).body.status).toBe("scheduled");
  await statusBecomes(todo, "unsent");
  const tried = { status: "unsent", channel: "log", attempts: 1, late: false };
  expect(await deliveriesOf(todo)).toMatchObject([tried]);
  await nothingIsDelivered(later);
  expect((await reminderOf(later)).status).toBe("scheduled");
});

test("completing the todo suspends the reminder, and it is missed when its time passes", async () => {
  const todo = await remindAtNine();
  expect((await toggle(todo)).body.reminder.status).toBe("suspended");
  travelTo("2026-11-21T09:00:01Z");
  await nothingIsDelivered(todo);
  expect((await toggle(todo)).body.reminder.status).toBe("missed");
  await nothingIsDelivered(todo);
});

test("opening the todo again in time revives the reminder, which rings once", async () => {
  const todo = await remindAtNine();
  await toggle(todo);
  expect((await toggle(todo)).body.reminder.status).toBe("scheduled");
  travelTo("2026-11-21T09:00:01Z");
  await statusBecomes(todo, "unsent");
  expect((await toggle(todo)).body.reminder.status).toBe("unsent");
  expect((await toggle(todo)).body.reminder.status).toBe("unsent");
  await tick();
  expect(await deliveriesOf(todo)).toHaveLength(1);
});

test("a deleted todo that is brought back rings once, unless it rang or its time passed meanwhile", async () => {
  const [later, rung, passed] = [await remindAtNine(), await remindAtNine(), await remindAtNine()];
  const remove = async (todo: number) => expect((await rest("DELETE", `/todos/${todo}`)).status).toBe(204);
  const bringBack = async (todo: number) =>
    expect(await undo(todo, "todo.delete")).toMatchObject([{ undone: "whole" }]);
  for (const todo of [later, passed]) await remove(todo);
  await bringBack(later);
  travelTo("2026-11-21T09:00:01Z");
  for (const todo of [later, rung]) await statusBecomes(todo, "unsent");
  await remove(rung);
  for (const todo of [rung, passed]) await bringBack(todo);
  await tick();
  for (const [todo, count, status] of [
    [later, 1, "unsent"],
    [rung, 1, "unsent"],
    [passed, 0, "missed"],
  ] as const)
    expect([(await deliveriesOf(todo)).length, (await reminderOf(todo)).status]).toEqual([count, status]);
});

test("a reminder that an agent moved rings at its person's time too when that is still ahead, and else has it as one that rang", async () => {
  const [ahead, behind, reopened] = [await remindAtNine(), await remindAtNine(), await remindAtNine()];
  await remind(ahead, "2026-11-21T15:00:00Z");
  await remind(ahead, "2026-11-21T10:00:00Z");
  await remind(behind, "2026-11-21T10:00:00Z");
  await toggle(reopened);
  await toggle(reopened);
  travelTo("2026-11-21T10:00:01Z");
  for (const todo of [ahead, behind, reopened]) await statusBecomes(todo, "unsent");
  const undoChange = async (todo: number, index: number) => {
    const sql = `select called_at, request_id from action_log
      where resource_id = $1 and tool <> 'todo.create' order by called_at, request_id offset $2 limit 1`;
    await send("action.undo", { actions: await rows(sql, [todo, index]) });
  };
  await undoChange(ahead, 2);
  await undoChange(behind, 1);
  // Its todo was reopened meanwhile, so that stays, and so do the service's own changes.
  await undoChange(reopened, 1);
  const at = (time: string, status: string) => ({ remind_at: `2026-11-21T${time}:00.000000Z`, status });
  expect(await reminderOf(ahead)).toMatchObject(at("15:00", "scheduled"));
  expect(await reminderOf(behind)).toMatchObject(at("09:00", "unsent"));
  expect(await reminderOf(reopened)).toMatchObject({ status: "unsent" });
  travelTo("2026-11-21T15:00:01Z");
  await statusBecomes(ahead, "unsent");
  expect(await deliveriesOf(ahead)).toHaveLength(2);
});

test("a moved reminder rings at its new time only, and again when moved after it rang", async () => {
  const todo = await remindAtNine();
  await remind(todo, "2026-11-21T10:00:00Z");
  travelTo("2026-11-21T09:30:00Z");
  await nothingIsDelivered(todo);
  travelTo("2026-11-21T10:00:00Z");
  await statusBecomes(todo, "unsent");
  expect((await remind(todo, "2026-11-21T11:00:00Z")).body.status).toBe("scheduled");
  travelTo("2026-11-21T11:00:00Z");
  await statusBecomes(todo, "unsent");
  expect(await deliveriesOf(todo)).toHaveLength(2);
});

test("the same time set again after it rang is a repeated request, not another reminder", async () => {
  const todo = await remindAtNine();
  travelTo("2026-11-21T09:00:05Z");
  await statusBecomes(todo, "unsent");
  expect((await remind(todo, "2026-11-21T10:00:00+01:00")).body.status).toBe("unsent");
  await tick();
  expect(await deliveriesOf(todo)).toHaveLength(1);
});

test("a minute into the past is the present, more is refused, as is a completed todo", async () => {
  travelTo("2026-11-21T08:00:00Z");
  const todo = await createTodo();
  const refused = await remind(todo, "2026-11-21T07:58:59Z");
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual({ remind_at: ["The remind_at field must not be in the past."] });
  expect((await remind(todo, "2026-11-21T07:59:00Z")).status).toBe(200);
  await statusBecomes(todo, "unsent");
  await toggle(todo);
  expect((await remind(todo, "2026-11-21T09:00:00Z")).status).toBe(409);
});

test("after downtime, up to a day late is sent and marked late, more is missed", async () => {
  const cases = [
    { back: "2026-11-21T09:00:59Z", status: "unsent", late: false },
    { back: "2026-11-21T09:01:01Z", status: "unsent", late: true },
    { back: "2026-11-22T08:59:00Z", status: "unsent", late: true },
    { back: "2026-11-22T10:00:00Z", status: "missed" },
  ];
  for (const { back, status, late } of cases) {
    const todo = await remindAtNine();
    travelTo(back);
    await statusBecomes(todo, status);
    const deliveries = await deliveriesOf(todo);
    expect(deliveries.map((row) => [row.status, row.late])).toEqual([[status, late ?? true]]);
  }
});

test("a wall time follows the user's zone, a time with offset does not", async () => {
  travelTo("2026-11-21T08:00:00Z");
  await configure({ time_zone: "Europe/Berlin" });
  const [wall, fixed] = [await createTodo(), await createTodo()];
  const shows = (at: string, local: string, time_zone: string) => ({
    ...{ remind_at: `2026-11-21T${at}:00.000000Z`, local_time: `2026-11-21T${local}:00`, time_zone },
  });
  const { body } = await remind(wall, "2026-11-21T12:00");
  expect(body).toMatchObject(shows("11:00", "12:00", "Europe/Berlin"));
  await remind(fixed, "2026-11-21T12:00:00+01:00");
  await configure({ time_zone: "America/New_York" });
  expect(await reminderOf(wall)).toMatchObject(shows("17:00", "12:00", "America/New_York"));
  expect(await reminderOf(fixed)).toMatchObject(shows("11:00", "06:00", "America/New_York"));
  travelTo("2026-11-21T11:00:00Z");
  await statusBecomes(fixed, "unsent");
  expect((await reminderOf(wall)).status).toBe("scheduled");
  travelTo("2026-11-21T17:00:00Z");
  await statusBecomes(wall, "unsent");
});

test("a wall time that DST skips is the first valid minute, one that it repeats is the first", async () => {
  travelTo("2026-11-21T08:00:00Z");
  await configure({ time_zone: "Europe/Berlin" });
  const [skipped, repeated] = [await createTodo(), await createTodo()];
  const first = { remind_at: "2027-03-28T01:00:00.000000Z", local_time: "2027-03-28T03:00:00" };
  expect((await remind(skipped, "2027-03-28T02:30")).body).toMatchObject(first);
  expect((await remind(repeated, "2027-10-31T02:30")).body.remind_at).toBe("2027-10-31T00:30:00.000000Z");
  await configure({ time_zone: "America/Chicago" });
  expect((await reminderOf(skipped)).remind_at).toBe("2027-03-28T07:30:00.000000Z");
  travelTo("2027-03-28T07:30:00Z");
  await statusBecomes(skipped, "unsent");
});

test("odd times are refused or understood, never a fault", async () => {
  travelTo("2026-11-21T08:00:00Z");
  const todo = await createTodo();
  const understood = ["2026-12-31T23:59:60Z", "2026-12-31T23:59:60", "9998-06-30T23:59:59.999999999"];
  const refused = ["2026-02-30T10:00", "2026-12-01T24:00:00Z", "2026-12-01", "tomorrow", 1_800_000_000, null];
  const early = ["0000-01-01T00:00", "0000-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"];
  const far = ["9999-12-31T23:59:59-12:00", "9999-12-31T23:59"];
  for (const time of understood) expect([time, (await remind(todo, time)).status]).toEqual([time, 200]);
  for (const time of [...refused, ...early, ...far])
    expect([time, (await remind(todo, time as string)).status]).toEqual([time, 422]);
});

test("an occurrence that nobody ticks rings again on each later date to which it is moved", async () => {
  travelTo("2027-12-24T12:00:00Z");
  await configure({ time_zone: "Europe/Berlin" });
  const todo = await createTodo({ due_date: "2027-12-26", recurrence: "FREQ=WEEKLY" });
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
  const rung = (await deliveriesOf(todo)).map(({ scheduled_at }) => scheduled_at.getTime());
  expect(rung.toSorted()).toEqual(at.map((time) => Date.parse(time)));
});
