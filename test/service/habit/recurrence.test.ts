import { expect, test } from "bun:test";
import fc from "fast-check";
import { useStack } from "../../harness.ts";

const { rest, clock, issuer } = await useStack({ travels: true });

const at = (date: string): void => {
  clock.now = Date.parse(`${date}T12:00:00Z`);
};
const create = async (body: object) => (await rest("POST", "/todos", { body: { title: "x", ...body } })).body;
const toggle = async (id: number) => (await rest("POST", `/todos/${id}/toggle`)).body;
const get = async (id: number) => (await rest("GET", `/todos/${id}`)).body;
/** The successor that completing the todo makes. */
const complete = async (id: number) => {
  const { next_todo_id } = await toggle(id);
  return next_todo_id === null ? null : get(next_todo_id);
};

test("completing leaves the todo completed and makes one successor with all it had but its state", async () => {
  at("2026-05-04");
  const todo = await create({
    recurrence: "rrule:freq=weekly;count=3",
    due_date: "2026-05-04",
    context: "home",
  });
  const next = await complete(todo.id);
  expect(next).toMatchObject({
    due_date: "2026-05-11",
    recurrence: "FREQ=WEEKLY;COUNT=2",
    context: "home",
    is_completed: false,
  });
  expect(await get(todo.id)).toMatchObject({
    is_completed: true,
    due_date: "2026-05-04",
    next_todo_id: next.id,
  });
});

test("complete, undo, complete leaves exactly one successor, the same, never one in the past", async () => {
  const rules = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=YEARLY"];
  rules.push("FREQ=DAILY;COUNT=9", "FREQ=DAILY;UNTIL=20280301");
  const [rule, from] = [fc.constantFrom(...rules), fc.constantFrom("due", "completion")];
  const today = "2028-02-28";
  at(today);
  const [dueInDays, reopenings] = [fc.integer({ min: -40, max: 40 }), fc.integer({ min: 1, max: 3 })];
  const history = fc.tuple(rule, from, dueInDays, reopenings);
  await fc.assert(
    fc.asyncProperty(history, async ([recurrence, recurrence_from, days, undos]) => {
      const token = await issuer.token({ sub: crypto.randomUUID() });
      const due_date = Temporal.PlainDate.from(today).add({ days }).toString();
      const body = { title: "x", recurrence, recurrence_from, due_date };
      const { id } = (await rest("POST", "/todos", { body, token })).body;
      const flip = async () => (await rest("POST", `/todos/${id}/toggle`, { token })).body;
      const successorOf = async () => {
        const next = (await flip()).next_todo_id;
        return next === null ? null : (await rest("GET", `/todos/${next}`, { token })).body;
      };
      const first = await successorOf();
      for (let undo = 0; undo < undos; undo++) {
        expect(await flip()).toMatchObject({ is_completed: false, next_todo_id: null });
        const again = await successorOf();
        expect([again?.due_date, again?.recurrence]).toEqual([first?.due_date, first?.recurrence]);
      }
      // From completion, the due date counts for nothing.
      const after = recurrence_from === "due" && due_date > today ? due_date : today;
      if (first) expect(first.due_date > after).toBe(true);
      expect((await rest("GET", "/todos?status=all", { token })).body.meta.total).toBe(first ? 2 : 1);
    }),
    { numRuns: 20 },
  );
});

test("an undone todo's successor stays when it was touched, and is its successor again", async () => {
  at("2026-05-04");
  const { id } = await create({ recurrence: "FREQ=DAILY", due_date: "2026-05-04" });
  const next = await complete(id);
  await rest("PATCH", `/todos/${next.id}`, { body: { title: "mine" } });
  expect(await toggle(id)).toMatchObject({ is_completed: false, next_todo_id: next.id });
  expect(await complete(id)).toMatchObject({ id: next.id, title: "mine" });
});

test("a todo put off leaves its series where it was, month ends and COUNT included", async () => {
  at("2026-03-31");
  const { id } = await create({ recurrence: "FREQ=MONTHLY;COUNT=3", due_date: "2026-03-31" });
  const moved = (await rest("PATCH", `/todos/${id}`, { body: { due_date: "2026-04-02" } })).body;
  expect(moved).toMatchObject({ recurrence: "FREQ=MONTHLY;COUNT=3", due_date: "2026-04-02" });
  const second = await complete(id);
  expect(second).toMatchObject({ due_date: "2026-05-31", recurrence: "FREQ=MONTHLY;COUNT=2" });
  const back = (await rest("PUT", `/todos/${second.id}`, { body: { ...second, title: "y" } })).body;
  expect(back).toMatchObject({ due_date: "2026-05-31", recurrence: "FREQ=MONTHLY;COUNT=2" });
  const third = await complete(second.id);
  expect(third).toMatchObject({ due_date: "2026-07-31", recurrence: "FREQ=MONTHLY;COUNT=1" });
  expect(await complete(third.id)).toBeNull();
});

test("a todo of a running series moved to before its own day and done there is followed by the next occurrence", async () => {
  at("2026-05-04");
  const { id } = await create({ recurrence: "FREQ=WEEKLY;COUNT=4", due_date: "2026-05-04" });
  const second = await complete(id);
  at("2026-05-09");
  await rest("PATCH", `/todos/${second.id}`, { body: { due_date: "2026-05-09" } });
  const third = await complete(second.id);
  expect(third).toMatchObject({ due_date: "2026-05-18", recurrence: "FREQ=WEEKLY;COUNT=2" });
});

test("another rule, or a due date that is cleared, begins a new series", async () => {
  at("2026-05-06");
  const { id } = await create({ recurrence: "FREQ=DAILY;INTERVAL=3", due_date: "2026-05-04" });
  const weekly = await rest("PATCH", `/todos/${id}`, { body: { recurrence: "FREQ=WEEKLY;BYDAY=FR" } });
  expect(weekly.body).toMatchObject({ recurrence: "FREQ=WEEKLY;BYDAY=FR", due_date: "2026-05-04" });
  const cleared = await rest("PATCH", `/todos/${id}`, { body: { due_date: null } });
  expect(cleared.body.due_date).toBe("2026-05-08");
  const once = await rest("PATCH", `/todos/${id}`, { body: { recurrence: null } });
  expect(once.body).toMatchObject({ recurrence: null, due_date: "2026-05-08" });
  expect(await complete(id)).toBeNull();
});

test("without a due date the first occurrence from today on is set, today included", async () => {
  at("2026-05-04");
  expect((await create({ recurrence: "FREQ=WEEKLY;BYDAY=MO" })).due_date).toBe("2026-05-04");
  expect((await create({ recurrence: "FREQ=WEEKLY;BYDAY=TU" })).due_date).toBe("2026-05-05");
  const over = await create({ recurrence: "FREQ=DAILY;UNTIL=20260503" });
  expect(over.due_date).toBeNull();
  expect(await complete(over.id)).toBeNull();
});

test("the user's day counts: at 1 a.m. in Auckland it is past the day in UTC", async () => {
  const token = await issuer.token({ sub: "gardener", zoneinfo: "Pacific/Auckland" });
  clock.now = Date.parse("2026-05-04T13:00:00Z");
  const body = { title: "x", recurrence: "FREQ=DAILY", due_date: "2026-05-01" };
  const { id } = (await rest("POST", "/todos", { body, token })).body;
  const { next_todo_id } = (await rest("POST", `/todos/${id}/toggle`, { token })).body;
  expect((await rest("GET", `/todos/${next_todo_id}`, { token })).body.due_date).toBe("2026-05-06");
});
