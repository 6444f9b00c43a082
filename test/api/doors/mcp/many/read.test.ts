import { expect, test } from "bun:test";
import { SQL } from "bun";
import { askedTool } from "../../../../../api/doors/mcp/tools.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type JsonBody, useStack } from "../../../../harness.ts";
import { agent, loggedCalls } from "../../../../support/mcp.ts";

const stack = await useStack();

async function titlesOf(sub: string): Promise<string[]> {
  await using sql = new SQL(stack.config.databaseUrl, { max: 1 });
  const rows: { title: string }[] = await sql`select title from todos where user_id = ${sub} order by id`;
  return rows.map(({ title }) => title);
}

async function logOf(sub: string) {
  await using sql = new SQL(stack.config.databaseUrl, { max: 1 });
  return [...(await loggedCalls(sql, sub))];
}

test("create-todo takes several todos, tells of each, and logs one call", async () => {
  const { call } = await agent(stack, { sub: "several" });
  const todos = [
    { title: "Buy milk", due_date: "2026-12-01" },
    { title: "" },
    { title: "Call", duedate: "2026-12-01" },
    { title: "Swim", recurrence: "FREQ=WEEKLY", remind_at: "2099-01-01T09:00" },
    { title: "Ski", category_id: 999_999 },
    7,
    { title: "Read", idempotency_key: "own" },
  ];
  const { facts, text, isError } = await call("create-todo", { todos });
  expect([isError, facts.done]).toEqual([false, 2]);
  const [milk, empty, unknown, swim, ski, number, keyed] = facts.results;
  expect(milk.todo).toMatchObject({ title: "Buy milk", due_date: "2026-12-01" });
  expect(swim.todo).toMatchObject({
    title: "Swim",
    recurrence: "FREQ=WEEKLY",
    remind_at: "2099-01-01T09:00",
  });
  for (const refused of [empty, unknown, ski, number, keyed]) expect(refused.code).toBe("invalid");
  expect(unknown.message).toContain("did you mean due_date?");
  expect(ski.errors).toEqual({ category_id: [expect.any(String)] });
  expect(text).toContain("2 of 7 done.");
  expect(text).toContain(`Created #${milk.todo.id} "Buy milk"`);
  expect(text).toContain("Number 2 was refused: The title field is required");
  expect(await titlesOf("several")).toEqual(["Buy milk", "Swim"]);
  expect(await logOf("several")).toMatchObject([{ tool: "create-todo", outcome: "ok", replayed: false }]);
});

test("one key covers all of them, on both workers and at the same time", async () => {
  const { call } = await agent(stack, { sub: "keyed" });
  const todos = Array.from({ length: 25 }, (_, index) => ({ title: `t${index}` }));
  const args = { todos, idempotency_key: "one" };
  const answers = await Promise.all(Array.from({ length: 6 }, () => call("create-todo", args)));
  const results = answers.map(({ facts }) => facts.results);
  expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers.filter(({ facts }) => facts.replayed)).toHaveLength(5);
  expect(await titlesOf("keyed")).toEqual(todos.map(({ title }) => title));
  const other = await call("create-todo", { todos: todos.slice(1), idempotency_key: "one" });
  expect([other.isError, other.facts.code]).toEqual([true, "invalid"]);
  const alone = await call("create-todo", { title: "t0", idempotency_key: "one" });
  expect([alone.isError, alone.facts.code]).toEqual([true, "invalid"]);
  expect(await logOf("keyed")).toHaveLength(8);
});

test("a call that names none, too many or something beside them is refused as a whole", async () => {
  const { call } = await agent(stack, { sub: "refused" });
  const title = "t";
  const refused: [object, string][] = [
    [{ todos: [] }, "title"],
    [{ todos: Array.from({ length: 26 }, () => ({ title })) }, "todos"],
    [{ todos: { title } }, "todos"],
    [{ todos: [{ title }], title }, "title"],
    [{ todos: [{ title }], "": 1 }, ""],
    [{}, "title"],
  ];
  for (const [args, field] of refused) {
    const { isError, facts } = await call("create-todo", args);
    expect([args, isError, Object.keys(facts.errors)]).toEqual([args, true, [field]]);
  }
  expect(await titlesOf("refused")).toEqual([]);
});

test("when none can be created the call is refused, and its key is free for the corrected one", async () => {
  const { call } = await agent(stack, { sub: "corrected" });
  const wrong = [
    [{ title: "" }, { title: "t", category_id: 999_999 }],
    [{ title: "t", category: "Nope" }],
    [7],
  ];
  for (const todos of wrong) {
    const { isError, facts } = await call("create-todo", { todos, idempotency_key: "k" });
    expect([isError, facts.code, facts.results]).toEqual([true, "invalid", undefined]);
  }
  const { isError, facts } = await call("create-todo", { todos: [{ title: "t" }], idempotency_key: "k" });
  expect([isError, facts.done, facts.replayed]).toEqual([false, 1, undefined]);
  expect((await logOf("corrected")).map(({ outcome }) => outcome)).toEqual([
    ...["invalid", "invalid", "invalid", "ok"],
  ]);
});

test("the known categories are listed once, and not without end", async () => {
  const { call, token } = await agent(stack, { sub: "themes" });
  for (let n = 0; n < 20; n++)
    await stack.rest("POST", "/categories", { token, body: { name: `${n}; `.padEnd(255, "x") } });
  const todos = [{ title: "t" }, { title: "t", category: "a" }, { title: "t", category: "b" }];
  const { text, facts } = await call("create-todo", { todos });
  const [, one, other] = facts.results.map(({ errors }: JsonBody) => errors?.category[0]);
  const alone = await call("create-todo", { title: "t", category: "a" });
  expect(alone.text).toContain("18 more. new_category makes a new one.");
  expect(one).toEndWith('x" and 18 more. new_category makes a new one.');
  expect(other).toBe("The category field must name a category of yours.");
  expect(text.length).toBeLessThan(1_000);
});

test("the check of many costly rules lets other requests go on", async () => {
  const recurrence = "FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29";
  const args = { todos: Array.from({ length: 25 }, () => ({ title: "t", recurrence })) };
  const { target } = askedTool({ name: "create-todo", arguments: args }) ?? {};
  if (!target || isRefused(target)) throw new Error("There is no such tool.");
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await target.read(args);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test("a token that may not list categories is not told their names", async () => {
  const owner = await stack.issuer.token({ sub: "private" });
  await stack.rest("POST", "/categories", { token: owner, body: { name: "Secret" } });
  const { call } = await agent(stack, { sub: "private", scope: "todos:write" });
  const todos = [{ title: "t", category: "Other" }, { title: "t" }];
  const { text, facts } = await call("create-todo", { todos });
  expect(facts.results.map(({ code }: JsonBody) => code)).toEqual(["invalid", undefined]);
  expect(text + JSON.stringify(facts)).not.toContain("Secret");
});
