import { describe, expect, test } from "bun:test";
import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { useStack } from "../../harness.ts";

const { rest } = await useStack();

const made = async (path: string, body: object) => (await rest("POST", path, { body })).body;
const category = await made("/categories", { name: "Home" });
const category_id = category.id;
const habit = await made("/habits", { name: "Read", type: "good", frequency: "daily", category_id });
const todo = await made("/todos", { title: "Write", category_id });
const [toggle, reminder] = [`/todos/${todo.id}/toggle`, `/todos/${todo.id}/reminder`];

test("the nearest known name is told, or all where none is near", async () => {
  const remindAt = { remindAt: "2099-01-01T09:00", remind_at: "2099-01-01T09:00" };
  const fieldsOfHabit = Object.keys(habitFields).join(", ");
  for (const [method, path, body, told] of [
    ["POST", "/todos", { due: "2026-11-20", title: "x" }, "a todo; did you mean due_date?"],
    ["POST", "/todos", { titel: "x" }, "a todo; did you mean title? (and 1 more error)"],
    ["PATCH", `/todos/${todo.id}`, { dueDate: null }, "a todo; did you mean due_date?"],
    ["PATCH", `/todos/${todo.id}`, { minutes: 5 }, "a todo; did you mean estimated_minutes?"],
    ["POST", toggle, { completed: true }, "this request; did you mean is_completed?"],
    ["POST", toggle, { title: "x" }, "this request, which takes is_completed."],
    ["PUT", reminder, remindAt, "a reminder; did you mean remind_at?"],
    ["DELETE", `/todos/${todo.id}`, { force: true }, "this request, which takes none."],
    ["PATCH", `/categories/${category_id}`, { colour: "#fff" }, "a category; did you mean color?"],
    ["PATCH", `/habits/${habit.id}`, { emoji: "x" }, `a habit, which takes ${fieldsOfHabit}.`],
  ] as const) {
    const answer = await rest(method, path, { body: JSON.stringify(body) });
    const [unknown] = Object.keys(body);
    expect([answer.status, answer.body.message]).toEqual([422, `${unknown} is not a field of ${told}`]);
  }
  expect((await rest("GET", "/habits?frequencies=daily")).body.message).toBe(
    "frequencies is not a parameter of this request; did you mean frequency?",
  );
  expect((await rest("GET", `/todos/${todo.id}`)).body).toEqual(todo);
});

test("a parameter that is given twice is refused, because only one of the two could count", async () => {
  const { status, body } = await rest("GET", "/todos?status=all&status=completed");
  expect([status, body.errors]).toEqual([422, { status: ["The status parameter must be given once."] }]);
});

test("a nested object is as strict", async () => {
  const schedule = { every_days: 2, starting: "2026-11-20" };
  const { status, body } = await rest("PATCH", `/habits/${habit.id}`, {
    body: JSON.stringify({ frequency: "custom", schedule }),
  });
  expect([status, Object.keys(body.errors)]).toEqual([422, ["schedule"]]);
});

test("however many and long they are, and whatever is in them, a short answer tells some", async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`n${index}`, 1]));
  const crowd = await rest("POST", "/todos", { body: JSON.stringify({ title: "x", ...many }) });
  expect([crowd.status, Object.keys(crowd.body.errors).length]).toEqual([422, 10]);
  const long = await rest("POST", "/todos", {
    body: JSON.stringify({ title: "x", [`\u0000\u202E${"y".repeat(30_000)}`]: 1 }),
  });
  expect(Object.keys(long.body.errors)).toEqual([`\uFFFD\uFFFD${"y".repeat(62)}`]);
});

describe("what a resource shows of itself may be sent back", () => {
  test.each([
    ["/habits", habit, { name: "Read more" }],
    ["/todos", todo, { title: "Write more" }],
    ["/categories", category, { name: "House" }],
  ])("%s: GET, change, PUT; and PATCH and POST with all of it", async (path, { id }, change) => {
    await rest("PUT", reminder, { body: { remind_at: "2099-01-01T09:00" } });
    const { body: before } = await rest("GET", `${path}/${id}`);
    const put = await rest("PUT", `${path}/${id}`, { body: { ...before, ...change } });
    expect([put.status, put.body]).toEqual([200, { ...before, ...change, updated_at: expect.any(String) }]);
    const patched = await rest("PATCH", `${path}/${id}`, { body: { ...before, id: 5 } });
    expect([patched.status, patched.body.id]).toEqual([200, id]);
    const copy = await rest("POST", path, { body: before });
    expect(copy.status).toBe(201);
    expect(copy.body.id).not.toBe(id);
  });

  test("a reminder, too", async () => {
    const set = (body: object) => rest("PUT", reminder, { body });
    const { body } = await set({ remind_at: "2099-01-01T09:00" });
    const moved = await set({ ...body, remind_at: "2099-01-02T09:00:00Z" });
    expect(moved.body.local_time).toBe("2099-01-02T09:00:00");
  });

  test("and makes no other request of one that is repeated with its key", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const send = (body: object) => rest("PATCH", `/todos/${todo.id}`, { headers, body });
    const first = await send({ title: "Once" });
    const again = await send({ ...first.body, title: "Once" });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ["Idempotency-Key"]]);
    const { id, created_at, is_overdue } = first.body;
    const same = await send({ title: "Once", id, created_at, is_overdue });
    expect([same.status, same.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  });
});
