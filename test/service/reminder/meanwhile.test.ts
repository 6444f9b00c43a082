import { beforeEach, expect, test } from "bun:test";
import { answering } from "../../support/reminder/receiver.ts";
import { eventually, useReminders } from "../../support/reminder/stack.ts";

const reminders = await useReminders();
const { travelTo, createTodo, remind, toggle, reminderOf, statusBecomes, deliveriesOf } = reminders;
const { rest, sql, tick, configure, undo } = reminders;
const receiver = await reminders.useWebhook();
const [accept, refuse] = [answering(204), answering(503)];

beforeEach(() => {
  travelTo("2026-11-21T08:00:00Z");
  receiver.behaviour.answer = accept;
});

async function remindNow(): Promise<number> {
  const todo = await createTodo();
  await remind(todo, "2026-11-21T08:00:00Z");
  return todo;
}

const eventsOf = (todo: number) => receiver.received.filter(({ event }) => event.data.todo?.id === todo);
async function deliveryIs(todo: number, status: string): Promise<void> {
  await tick();
  await eventually(async () => (await deliveriesOf(todo))[0]?.status === status);
}

/** Waits until the message of a todo has left. */
async function isOnItsWay(todo: number): Promise<void> {
  await tick();
  await eventually(() => eventsOf(todo).length > 0);
}

/**
 * Makes the receiver hold its answers.
 * @returns a function that makes it answer
 */
function holdAnswers(): () => void {
  const held = Promise.withResolvers<void>();
  receiver.behaviour.answer = async () => {
    await held.promise;
    return accept();
  };
  return held.resolve;
}

test("a reminder that moves while its delivery waits for another try rings at the new time only", async () => {
  receiver.behaviour.answer = refuse;
  const todo = await remindNow();
  await deliveryIs(todo, "retrying");
  await remind(todo, "2026-11-21T10:00:00Z");
  receiver.behaviour.answer = accept;
  travelTo("2026-11-21T08:10:00Z");
  await deliveryIs(todo, "cancelled");
  travelTo("2026-11-21T10:00:00Z");
  await statusBecomes(todo, "sent");
  const statuses = (await deliveriesOf(todo)).map((row) => row.status).sort();
  expect(statuses).toEqual(["cancelled", "sent"]);
  expect(eventsOf(todo).map(({ event }) => event.data.remind_at)).toEqual([
    "2026-11-21T08:00:00.000000Z",
    "2026-11-21T10:00:00.000000Z",
  ]);
});

test("a todo completed, deleted or cleared of its reminder meanwhile is not tried again", async () => {
  receiver.behaviour.answer = refuse;
  const [completed, deleted, cleared] = [await remindNow(), await remindNow(), await remindNow()];
  for (const todo of [completed, deleted, cleared]) await deliveryIs(todo, "retrying");
  await toggle(completed);
  await rest("DELETE", `/todos/${deleted}`);
  await rest("DELETE", `/todos/${cleared}/reminder`);
  receiver.behaviour.answer = accept;
  travelTo("2026-11-21T08:10:00Z");
  for (const todo of [completed, deleted, cleared]) {
    await deliveryIs(todo, "cancelled");
    expect(eventsOf(todo)).toHaveLength(1);
  }
  expect((await toggle(completed)).body.reminder.status).toBe("missed");
});

test("a todo completed while its reminder is on the way has been reminded of", async () => {
  const answer = holdAnswers();
  const todo = await remindNow();
  await isOnItsWay(todo);
  expect((await toggle(todo)).body.reminder.status).toBe("suspended");
  answer();
  await statusBecomes(todo, "sent");
  expect((await toggle(todo)).body.reminder.status).toBe("sent");
});

/** These are accepted before the reminder's time and, because they must wait, carried out while it is being sent. */
const acceptedBefore: Readonly<Record<string, (todo: number) => Promise<unknown>>> = {
  "completing its todo and opening it again": (todo) => toggle(todo).then(() => toggle(todo)),
  async "completing its todo and taking that back"(todo) {
    await toggle(todo);
    expect(await undo(todo, "todo.toggle")).toMatchObject([{ undone: "whole" }]);
  },
  "changing to a zone with the same time": () => configure({ time_zone: "Africa/Abidjan" }),
};

test.each(Object.entries(acceptedBefore))(
  "a reminder on the way does not ring twice by %s",
  async (_, act) => {
    const answer = holdAnswers();
    const todo = await createTodo();
    await remind(todo, "2026-11-21T08:00:00");
    await isOnItsWay(todo);
    travelTo("2026-11-21T07:59:59Z");
    await act(todo);
    travelTo("2026-11-21T08:00:02Z");
    answer();
    await statusBecomes(todo, "sent");
    const other = await remindNow();
    await statusBecomes(other, "sent");
    expect(eventsOf(todo)).toHaveLength(1);
  },
);

test("a reminder moved while it is on the way rings again at its new time", async () => {
  const answer = holdAnswers();
  const todo = await remindNow();
  await isOnItsWay(todo);
  await remind(todo, "2026-11-21T09:00:00Z");
  answer();
  await deliveryIs(todo, "sent");
  expect((await reminderOf(todo)).status).toBe("scheduled");
  travelTo("2026-11-21T09:00:00Z");
  await statusBecomes(todo, "sent");
  expect(new Set(eventsOf(todo).map(({ id }) => id)).size).toBe(2);
});

test("a failed one that was still being tried a day later is missed", async () => {
  receiver.behaviour.answer = refuse;
  const todo = await remindNow();
  await deliveryIs(todo, "retrying");
  receiver.behaviour.answer = accept;
  travelTo("2026-11-22T08:00:01Z");
  await statusBecomes(todo, "missed");
  expect(eventsOf(todo)).toHaveLength(1);
});

test("a row that somebody holds delays its own reminder and no other", async () => {
  const [held, free] = [await createTodo(), await createTodo()];
  for (const todo of [held, free]) await remind(todo, "2026-11-21T09:00:00Z");
  await sql.begin(async (transaction) => {
    await transaction`select 1 from reminders where todo_id = ${held} for update`;
    travelTo("2026-11-21T09:00:00Z");
    await statusBecomes(free, "sent");
    expect(await deliveriesOf(held)).toEqual([]);
  });
  const answer = holdAnswers();
  await isOnItsWay(held);
  await sql.begin(async (transaction) => {
    await transaction`select 1 from reminders where todo_id = ${held} for update`;
    answer();
    const other = await createTodo();
    await remind(other, "2026-11-21T09:00:00Z");
    await statusBecomes(other, "sent");
    expect((await deliveriesOf(held))[0].status).toBe("sending");
  });
  await statusBecomes(held, "sent");
  expect(eventsOf(held)).toHaveLength(1);
});
