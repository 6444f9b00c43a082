import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { agent, newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-05-08T10:00:00Z");

type Fields = Readonly<Record<string, unknown>>;
/** A tool call and the REST request that does the same; without a body of its own it sends the tool's fields. */
type Step = readonly [tool: string, args: Fields, request: string, body?: Fields];

const complete = "POST /habits/:id/complete";
const undo = "DELETE /habits/:id/complete";
const undone = { habit_id: ":id", undo: true };
const evening = { grace_days: 2, time_of_day: "evening" };
const daily = { type: "good", frequency: "daily" };
const weekly = { recurrence: "FREQ=WEEKLY;BYDAY=MO", context: "home", estimated_minutes: 5 };
const words = { title: "Bins out", description: "Both" };

/** The same history as tool calls and as REST requests; `:id` is the id from the first step. */
const histories: Readonly<Record<string, readonly Step[]>> = {
  habit: [
    [
      ...(["create-habit", { ...evening, name: "Cafe\u0301", description: "" }, "POST /habits"] as const),
      { ...evening, ...daily, name: "Café", description: null },
    ],
    ["complete-habit", { habit_id: ":id" }, complete],
    ["complete-habit", { habit_id: ":id" }, complete],
    ["complete-habit", { habit_id: 999_999 }, "POST /habits/999999/complete"],
    ["complete-habit", { habit_id: ":id", date: "2026-05-06" }, complete],
    [
      "complete-habit",
      { habit_id: ":id", date: "2026-05-07", undo: false },
      complete,
      { date: "2026-05-07" },
    ],
    ["complete-habit", { ...undone, date: "2026-05-07" }, `${undo}?date=2026-05-07`],
    ["complete-habit", { ...undone, date: "2026-05-05" }, `${undo}?date=2026-05-05`],
    ["complete-habit", undone, undo],
    ["complete-habit", undone, undo],
    ["complete-habit", { habit_id: ":id", date: "2026-05-09" }, complete],
    ["complete-habit", { ...undone, date: "2026-04-30" }, `${undo}?date=2026-04-30`],
    ["create-habit", { name: "" }, "POST /habits", { ...daily, name: "" }],
  ],
  todo: [
    ["create-todo", { ...weekly, title: " Bins " }, "POST /todos", { ...weekly, title: "Bins" }],
    [
      ...(["update-todo", { todo_id: ":id", ...words, clear: ["due_date"] }, "PATCH /todos/:id"] as const),
      { ...words, due_date: null },
    ],
    ["toggle-todo", { todo_id: ":id", completed: true }, "POST /todos/:id/toggle", { is_completed: true }],
    ["toggle-todo", { todo_id: ":id" }, "POST /todos/:id/toggle"],
    ["toggle-todo", { todo_id: ":id" }, "POST /todos/:id/toggle"],
    ["update-todo", { todo_id: 999_999, title: "x" }, "PATCH /todos/999999"],
    ["update-todo", { todo_id: ":id", due_date: "x" }, "PATCH /todos/:id"],
    ["create-todo", { title: "x", category_id: 1 }, "POST /todos"],
    ["delete-todo", { todo_id: 999_999 }, "DELETE /todos/999999"],
  ],
  "deleted todo": [
    ["create-todo", { title: "Gone" }, "POST /todos"],
    ["delete-todo", { todo_id: ":id" }, "DELETE /todos/:id"],
    ["delete-todo", { todo_id: ":id" }, "DELETE /todos/:id"],
  ],
};

const codes: Record<number, string> = { 404: "not_found", 409: "conflict", 422: "invalid" };

async function byTools(userId: string, steps: readonly Step[]): Promise<string[]> {
  const { call } = await agent(stack, { sub: userId });
  const outcomes: string[] = [];
  let id: unknown;
  for (const [tool, args] of steps) {
    const filled = Object.entries(args).map(([name, value]) => [name, value === ":id" ? id : value]);
    const { facts } = await call(tool, Object.fromEntries(filled));
    id ??= (facts.todo ?? facts.habit)?.id;
    outcomes.push(facts.code ?? "ok");
  }
  return outcomes;
}

async function byRest(userId: string, steps: readonly Step[]): Promise<string[]> {
  const token = await stack.issuer.token({ sub: userId });
  const outcomes: string[] = [];
  let id: unknown;
  for (const [, { habit_id: _, todo_id: __, ...fields }, request, body = fields] of steps) {
    const [method = "", path = ""] = request.replace(":id", String(id)).split(" ");
    const answer = await stack.rest(method, path, {
      ...{ token, ...(method !== "DELETE" && Object.keys(body).length > 0 && { body }) },
    });
    id ??= answer.body?.id;
    outcomes.push(codes[answer.status] ?? (answer.status < 300 ? "ok" : String(answer.status)));
  }
  return outcomes;
}

/** All rows of a user, without values that must differ: owner, ids, times, tokens and transactions. */
async function rowsOf(userId: string): Promise<unknown> {
  const { sql } = stack;
  const tables = ["habits", "habit_completions", "habit_amounts", "todos", "reminders"].map(async (table) => {
    const rows: Fields[] = await sql`select * from ${sql(table)} where user_id = ${userId} order by 2, 3`;
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([name]) => !/(^|_)id$|_at$|_by$|^changed_xid$/.test(name)),
      ),
    );
  });
  return await Promise.all(tables);
}

test.each(Object.entries(histories))(
  "the history of a %s leaves the same rows and refusals through MCP as through REST",
  async (_, steps) => {
    const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await byTools(one, steps)).toEqual(await byRest(other, steps));
    expect(await rowsOf(one)).toEqual(await rowsOf(other));
  },
);

test("a key is one command on both doors: the second door answers the first one's outcome", async () => {
  const { call, rest } = await newcomer(stack);
  const made = await rest("POST", "/todos", { title: "Once" }, "shared");
  const tool = await call("create-todo", { title: "Once", idempotency_key: "shared" });
  expect(tool.facts).toMatchObject({ todo: { id: made.body.id }, replayed: true });
  const again = await rest("POST", "/todos", { title: "Once" }, "shared");
  expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", made.body]);
  const { id } = (await rest("POST", "/habits", { ...daily, name: "Run" })).body;
  await rest("POST", `/habits/${id}/complete`);
  await rest("DELETE", `/habits/${id}/complete`, undefined, "undo");
  const undo = await call("complete-habit", { habit_id: id, undo: true, idempotency_key: "undo" });
  expect(undo.facts).toMatchObject({ habit: { id, streak_count: 0 }, replayed: true });
});
