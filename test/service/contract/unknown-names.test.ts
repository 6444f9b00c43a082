import { describe, expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { useStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";

const stack = await useStack();
const { rest } = stack;

const bodies = {
  "/habits": { name: "Read", type: "good", frequency: "daily" },
  "/todos": { title: "Write" },
  "/categories": { name: "Home" },
};
const made = async (path: keyof typeof bodies) => (await rest("POST", path, { body: bodies[path] })).body;
const [habit, todo, category] = [await made("/habits"), await made("/todos"), await made("/categories")];
const approval_id = crypto.randomUUID();
const ids: Record<string, number | string> = {
  approval_id,
  webhook_id: approval_id,
  delivery_id: approval_id,
  habit_id: habit.id,
  todo_id: todo.id,
  category_id: category.id,
};

const routes = contracts.flatMap(({ rest: list = [] }) =>
  list.map(({ method, path }) => [method, path] as const),
);

describe.each(routes)("%s %s", (method, template) => {
  const path = template.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));

  test("refuses an unknown query parameter", async () => {
    const { status, body } = await rest(method, `${path}?nonsense=1`);
    expect([status, Object.keys(body.errors)[0]]).toEqual([422, "nonsense"]);
    expect(body.message).toStartWith("nonsense is not a parameter of this request, which takes ");
  });

  if (method === "GET") return;
  test("refuses an unknown field", async () => {
    const { status, body } = await rest(method, path, { body: JSON.stringify({ nonsense: null }) });
    expect([status, Object.keys(body.errors)[0]]).toEqual([422, "nonsense"]);
    expect(body.errors.nonsense[0]).toMatch(
      /^nonsense is not a field of (a (habit|todo|category|reminder|webhook)|this request)/,
    );
  });
});

test("the nearest known name is told, or all where none is near", async () => {
  const cases = [
    [
      "POST",
      "/todos",
      { title: "x", due: "2026-11-20" },
      "due is not a field of a todo; did you mean due_date?",
    ],
    [
      "POST",
      "/todos",
      { titel: "x" },
      "titel is not a field of a todo; did you mean title? (and 1 more error)",
    ],
    [
      "PATCH",
      `/todos/${todo.id}`,
      { dueDate: null },
      "dueDate is not a field of a todo; did you mean due_date?",
    ],
    [
      "PATCH",
      `/todos/${todo.id}`,
      { minutes: 5 },
      "minutes is not a field of a todo; did you mean estimated_minutes?",
    ],
    [
      "POST",
      `/todos/${todo.id}/toggle`,
      { completed: true },
      "completed is not a field of this request; did you mean is_completed?",
    ],
    [
      "POST",
      `/todos/${todo.id}/toggle`,
      { title: "x" },
      "title is not a field of this request, which takes is_completed.",
    ],
    [
      "PUT",
      `/todos/${todo.id}/reminder`,
      { remindAt: "2099-01-01T09:00", remind_at: "2099-01-01T09:00" },
      "remindAt is not a field of a reminder; did you mean remind_at?",
    ],
    [
      "DELETE",
      `/todos/${todo.id}`,
      { force: true },
      "force is not a field of this request, which takes none.",
    ],
    [
      "PATCH",
      `/categories/${category.id}`,
      { colour: "#fff" },
      "colour is not a field of a category; did you mean color?",
    ],
    [
      "PATCH",
      `/habits/${habit.id}`,
      { emoji: "x" },
      `emoji is not a field of a habit, which takes ${Object.keys(habitFields).join(", ")}.`,
    ],
  ] as const;
  for (const [method, path, body, message] of cases) {
    const answer = await rest(method, path, { body: JSON.stringify(body) });
    expect([answer.status, answer.body.message]).toEqual([422, message]);
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
    await rest("PUT", `/todos/${todo.id}/reminder`, { body: { remind_at: "2099-01-01T09:00" } });
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
    const set = (body: object) => rest("PUT", `/todos/${todo.id}/reminder`, { body });
    const { body } = await set({ remind_at: "2099-01-01T09:00" });
    expect((await set({ ...body, remind_at: "2099-01-02T09:00:00Z" })).body.local_time).toBe(
      "2099-01-02T09:00:00",
    );
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

test("a tool's refusal has the nearest name beside the list", async () => {
  const { call } = await agent(stack);
  const { facts } = await call("create-todo", { title: "x", due: "2026-11-20" });
  expect(facts.errors.due).toEqual([
    expect.stringMatching(
      /^due is not an argument of this tool, which takes title, .*; did you mean due_date\?$/,
    ),
  ]);
});
