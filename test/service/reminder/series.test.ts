import { expect, test } from "bun:test";
import type { JsonBody } from "../../harness.ts";
import { useReminders } from "../../support/reminder/stack.ts";
import { useUndoDoor, whole } from "../../support/undo-door.ts";

const stack = await useReminders();
const { page, someone } = await useUndoDoor(stack);
const { travelTo } = stack;
travelTo("2090-03-20T08:00:00Z");

type Person = Awaited<ReturnType<typeof someone>>;

/** A person in Berlin, where summer time begins on Sunday 26 March 2090. */
async function inBerlin() {
  const person = await someone();
  await page.send(person.sub, "user.configure", { time_zone: "Europe/Berlin" });
  return person;
}

const weekly = { title: "Bins", due_date: "2090-03-24", recurrence: "FREQ=WEEKLY" };
const once = { title: "Call", due_date: "2090-03-24" };

async function make({ rest }: Person, body: object, remind_at: string): Promise<number> {
  const { id } = (await rest("POST", "/todos", body)).body;
  expect((await rest("PUT", `/todos/${id}/reminder`, { remind_at })).status).toBe(200);
  return id;
}

const shown = async ({ rest }: Person, id: number) => (await rest("GET", `/todos/${id}`)).body;
const reminderOf = async (person: Person, id: number) => (await shown(person, id)).reminder;
const complete = async ({ rest }: Person, id: number) =>
  (await rest("POST", `/todos/${id}/toggle`, { is_completed: true })).body.next_todo_id;
const reopen = ({ rest }: Person, id: number) => rest("POST", `/todos/${id}/toggle`, { is_completed: false });
const local = (local_time: string, status = "scheduled") => expect.objectContaining({ local_time, status });

test("each successor has the reminder on its own due date, over a change of the clocks and of the zone", async () => {
  const ada = await inBerlin();
  const first = await make(ada, weekly, "2090-03-23T20:00");
  const second = await complete(ada, first);
  const own = { todo_id: second, remind_at: "2090-03-30T18:00:00.000000Z" };
  expect(await reminderOf(ada, second)).toMatchObject(own);
  expect(await reminderOf(ada, second)).toEqual(local("2090-03-30T20:00:00"));
  await page.send(ada.sub, "user.configure", { time_zone: "America/New_York" });
  const third = await complete(ada, second);
  expect(await reminderOf(ada, third)).toMatchObject({ remind_at: "2090-04-07T00:00:00.000000Z" });
  await ada.rest("DELETE", `/todos/${third}/reminder`);
  expect(await reminderOf(ada, await complete(ada, third))).toBeNull();
});

test("an instant becomes a wall time when its todo recurs, at once or later, and is kept for this occurrence", async () => {
  const ada = await inBerlin();
  const early = await make(ada, weekly, "2090-03-24T08:00:00Z");
  const later = await make(ada, once, "2090-03-24T08:00:00Z");
  await ada.rest("PATCH", `/todos/${later}`, { recurrence: "FREQ=WEEKLY" });
  const tool = { ...weekly, remind_at: "2090-03-24T08:00:00Z" };
  const made = (await ada.agent.call("create-todo", tool)).facts.todo.id;
  for (const id of [early, later, made]) {
    expect(await reminderOf(ada, id)).toMatchObject({ remind_at: "2090-03-24T08:00:00.000000Z" });
    expect(await reminderOf(ada, await complete(ada, id))).toEqual(local("2090-03-31T09:00:00"));
  }
  await page.send(ada.sub, "user.configure", { time_zone: "Asia/Tokyo" });
  for (const id of [early, later, made]) {
    const { next_todo_id } = await shown(ada, id);
    expect(await reminderOf(ada, next_todo_id)).toMatchObject({ remind_at: "2090-03-31T00:00:00.000000Z" });
  }
});

test("every way to move the due date or time moves the reminder, and the answer shows it", async () => {
  const ada = await inBerlin();
  const { rest, agent } = ada;
  const timed = { ...once, due_time: "09:00" };
  const atEight = () => make(ada, timed, "2090-03-23T20:00");
  const [patched, put, told] = [await atEight(), await atEight(), await atEight()];
  const [grouped, onPage] = [await atEight(), await atEight()];
  const fixed = await make(ada, timed, "2090-03-23T19:00:00Z");
  const later = { due_date: "2090-03-28", due_time: "10:30" };
  const evening = local("2090-03-27T21:30:00");
  expect((await rest("PATCH", `/todos/${patched}`, later)).body.reminder).toEqual(evening);
  expect((await rest("PUT", `/todos/${put}`, { title: "Call", ...later })).body.reminder).toEqual(evening);
  const several = await agent.call("update-todo", { todo_ids: [told, fixed], ...later });
  expect(several.text).toContain("reminds 2090-03-27T21:30");
  for (const id of [told, fixed]) expect(await reminderOf(ada, id)).toEqual(evening);
  const operations = [{ method: "PATCH", path: `/todos/${grouped}`, body: later }];
  const { results } = (await rest("POST", "/batch", { operations })).body;
  expect(results[0].body.reminder).toEqual(evening);
  const { reminder } = await page.send(ada.sub, "todo.update", { todo_id: onPage, ...later });
  expect(reminder).toEqual(evening);
  const back = (await agent.call("update-todo", { todo_id: told, due_date: "2090-03-24" })).facts.todo;
  expect(back).toMatchObject({ due_date: "2090-03-24", remind_at: "2090-03-23T21:30" });
  for (const [due_time, time] of Object.entries({ "08:30": "19:30", "23:00": "10:00" })) {
    const { reminder } = (await rest("PATCH", `/todos/${put}`, { due_time })).body;
    expect(reminder).toEqual(local(`2090-03-${due_time > "12" ? 28 : 27}T${time}:00`));
  }
  for (const due_time of [null, "07:00"])
    expect((await rest("PATCH", `/todos/${put}`, { due_time })).body.reminder).toEqual(
      local("2090-03-28T10:00:00"),
    );
});

test("a request that sets or clears the reminder moves nothing, and one without a date has no distance", async () => {
  const ada = await inBerlin();
  const { rest, agent } = ada;
  const id = await make(ada, once, "2090-03-23T20:00");
  const both = { todo_id: id, due_date: "2090-03-28", remind_at: "2090-03-25T07:00" };
  expect((await agent.call("update-todo", both)).facts.todo).toMatchObject({ remind_at: "2090-03-25T07:00" });
  for (const due_date of [null, "2090-04-02"]) {
    const { body } = await rest("PATCH", `/todos/${id}`, { due_date });
    expect(body.reminder).toEqual(local("2090-03-25T07:00:00"));
  }
  const gone = { todo_id: id, due_date: "2090-04-03", clear: ["remind_at"] };
  expect((await agent.call("update-todo", gone)).facts.todo.remind_at).toBeUndefined();
});

test("a recurring todo whose due date is cleared has its reminder on the next one", async () => {
  const ada = await inBerlin();
  const { rest } = ada;
  const id = await make(ada, { ...weekly, recurrence: "FREQ=WEEKLY;BYDAY=FR" }, "2090-03-23T20:00");
  const next = (await rest("PATCH", `/todos/${id}`, { due_date: null })).body;
  expect(next).toMatchObject({ due_date: "2090-03-24", reminder: local("2090-03-23T20:00:00") });
  await rest("PATCH", `/todos/${id}`, { due_date: "2090-04-14" });
  const cleared = (await rest("PATCH", `/todos/${id}`, { due_date: null })).body;
  expect(cleared).toMatchObject({ due_date: "2090-03-24", reminder: local("2090-03-23T20:00:00") });
  const undated = await make(ada, { title: "x" }, "2090-05-02T09:00");
  const dated = (await rest("PATCH", `/todos/${undated}`, { recurrence: "FREQ=WEEKLY;BYDAY=FR" })).body;
  expect(dated).toMatchObject({ due_date: "2090-03-24", reminder: local("2090-03-24T09:00:00") });
});

test("a reminder that moves to a time that has passed is missed, and is scheduled again further on", async () => {
  const ada = await inBerlin();
  const id = await make(ada, once, "2090-03-23T20:00");
  const move = async (due_date: string) =>
    (await ada.rest("PATCH", `/todos/${id}`, { due_date })).body.reminder;
  expect(await move("2090-03-20")).toEqual(local("2090-03-19T20:00:00", "missed"));
  expect(await move("2090-03-24")).toEqual(local("2090-03-23T20:00:00"));
  await ada.rest("POST", `/todos/${id}/toggle`);
  expect(await move("2090-04-24")).toMatchObject({ status: "suspended" });
  expect((await reopen(ada, id)).body.reminder.status).toBe("scheduled");
});

test("opening a recurring todo again removes its untouched successor with the reminder, and brings its own back", async () => {
  const ada = await inBerlin();
  const id = await make(ada, weekly, "2090-03-23T20:00");
  for (const _ of [1, 2]) {
    const next = await complete(ada, id);
    expect((await ada.world()).reminders).toHaveLength(2);
    const own = { next_todo_id: null, reminder: local("2090-03-23T20:00:00") };
    expect((await reopen(ada, id)).body).toMatchObject(own);
    expect((await ada.rest("GET", `/todos/${next}`)).status).toBe(404);
    expect((await ada.world()).reminders).toHaveLength(1);
  }
});

test("a completion, a reopening and a move are taken back with the reminders, and so is that", async () => {
  const ada = await inBerlin();
  const id = await make(ada, weekly, "2090-03-23T20:00");
  const acts = [
    () => ada.rest("PATCH", `/todos/${id}`, { due_date: "2090-03-25" }),
    () => complete(ada, id),
    () => reopen(ada, id),
    () => ada.rest("PATCH", `/todos/${id}`, { recurrence: null, due_date: null }),
  ];
  const lived: { before: JsonBody; after: JsonBody; action: object[] }[] = [];
  for (const act of acts) {
    const before = await ada.world();
    await act();
    lived.push({ before, after: await ada.world(), action: await ada.last() });
  }
  for (const { before, after, action } of lived.toReversed()) {
    expect(await ada.undo(action)).toEqual(whole(1));
    expect(await ada.world()).toEqual(before);
    expect(await ada.undo(await ada.last())).toEqual(whole(1));
    expect(await ada.world()).toEqual(after);
    expect(await ada.undo(action)).toEqual(whole(1));
  }
});

test("operations of one group see the reminder that an earlier one of them made or moved", async () => {
  const ada = await someone();
  const operations = [
    { method: "POST", path: "/todos", body: weekly },
    { method: "PUT", path: "/todos/$0.id/reminder", body: { remind_at: "2090-03-24T09:00:00Z" } },
    { method: "PATCH", path: "/todos/$0.id", body: { due_date: "2090-03-25" } },
    { method: "POST", path: "/todos/$0.id/toggle" },
  ];
  const { results } = (await ada.rest("POST", "/batch", { operations, atomic: true })).body;
  expect(results.map(({ status }: JsonBody) => status)).toEqual([201, 200, 200, 200]);
  expect(results[2].body.reminder).toEqual(local("2090-03-25T09:00:00"));
  const { next_todo_id } = results[3].body;
  const next = { due_date: "2090-03-31", reminder: local("2090-03-31T09:00:00") };
  expect(await shown(ada, next_todo_id)).toMatchObject(next);
});

test("a recurring todo whose undone move has rung meanwhile reminds at its old distance from then on", async () => {
  const ada = await inBerlin();
  const id = await make(ada, weekly, "2090-03-24T09:00");
  await ada.rest("PATCH", `/todos/${id}`, { due_date: "2090-03-25" });
  const move = await ada.last();
  travelTo("2090-03-25T09:00:00Z");
  await stack.tick();
  for (let status = ""; status !== "unsent"; ) ({ status } = await reminderOf(ada, id));
  expect(await ada.undo(move)).toEqual(whole(1));
  const back = { due_date: "2090-03-24", reminder: local("2090-03-24T09:00:00", "unsent") };
  expect(await shown(ada, id)).toMatchObject(back);
  expect(await reminderOf(ada, await complete(ada, id))).toEqual(local("2090-03-31T09:00:00"));
});
