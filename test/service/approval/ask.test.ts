import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { openApprovals } from "./people.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await useStack({ travels: true });
const { page, someone } = await openApprovals(stack);
afterEach(() => {
  stack.clock.now = undefined;
});
const hourMs = 3_600_000;

describe("a token that must ask for deletions", () => {
  test("gets 202 with an address, and deletes nothing until its person approves", async () => {
    const { rest, own, decide, titles, log, token_id } = await someone({ asks_deletions: true });
    const { id } = (await rest("POST", "/todos", { title: "Old" })).body;
    const asked = await rest("DELETE", `/todos/${id}`);
    expect(asked.status).toBe(202);
    expect(asked.headers.get("location")).toBe(`${stack.config.baseUrl}/api/v1/approvals/${asked.body.id}`);
    expect(asked.body).toMatchObject({
      state: "waiting",
      approve_at: `${stack.config.baseUrl}/account/approvals`,
      message: expect.stringContaining("nothing is changed yet"),
    });
    expect(await titles()).toEqual(["Old"]);
    expect((await rest("GET", `/approvals/${asked.body.id}`)).body.state).toBe("waiting");
    expect((await own("GET", `/approvals/${asked.body.id}`)).status).toBe(404);
    expect(await decide(true, asked.body.id)).toMatchObject({ decided: 1 });
    expect(await titles()).toEqual([]);
    expect((await rest("GET", `/approvals/${asked.body.id}`)).body).toMatchObject({ state: "done" });
    const rows = await log();
    expect(rows.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["todo.create", "ok"],
      ["todo.delete", "waiting"],
      ["todo.delete", "ok"],
    ]);
    expect(rows[2]).toMatchObject({ token_id, request_id: asked.body.id });
  });

  test("is carried out once, however often its person approves", async () => {
    const { rest, decide, log } = await someone({ ask_above: 0 });
    const asked = await rest("POST", "/todos", { title: "New" });
    const ends = await Promise.all([1, 2, 3].map(() => decide(true, asked.body.id)));
    expect(ends.map(({ decided }) => decided).toSorted()).toEqual([0, 0, 1]);
    expect((await log()).map(({ outcome }) => outcome)).toEqual(["waiting", "ok"]);
  });

  test("deletes nothing that its person declines, and learns that from a repeat with the key", async () => {
    const { rest, decide, titles } = await someone({ asks_deletions: true });
    const { id } = (await rest("POST", "/todos", { title: "Keep" })).body;
    const asked = await rest("DELETE", `/todos/${id}`, undefined, "k");
    await decide(false, asked.body.id);
    const repeat = await rest("DELETE", `/todos/${id}`, undefined, "k");
    expect([repeat.status, repeat.body.message]).toEqual([
      409,
      "The person declined this; do not ask again unless they want it.",
    ]);
    expect(await decide(true, asked.body.id)).toMatchObject({ decided: 0 });
    expect(await titles()).toEqual(["Keep"]);
  });

  test("changes nothing if its person changed the thing meanwhile, and says so", async () => {
    const { rest, own, decide, titles } = await someone({ asks_deletions: true });
    const { id } = (await rest("POST", "/todos", { title: "Old" })).body;
    const asked = await rest("DELETE", `/todos/${id}`, undefined, "k");
    await own("PATCH", `/todos/${id}`, { title: "Still wanted" });
    await decide(true, asked.body.id);
    expect((await rest("GET", `/approvals/${asked.body.id}`)).body.state).toBe("outdated");
    const repeat = await rest("DELETE", `/todos/${id}`, undefined, "k");
    expect([repeat.status, repeat.body.message]).toEqual([409, expect.stringContaining("changed meanwhile")]);
    expect(await titles()).toEqual(["Still wanted"]);
  });

  test("asks again after 72 hours, because nobody can approve what has expired", async () => {
    const { rest, decide, titles } = await someone({ asks_deletions: true });
    stack.clock.now = Date.parse("2030-01-10T10:00:00Z");
    const { id } = (await rest("POST", "/todos", { title: "Old" })).body;
    const asked = await rest("DELETE", `/todos/${id}`);
    expect(asked.body.expires_at).toBe("2030-01-13T10:00:00.000000Z");
    stack.clock.now += 72 * hourMs;
    expect((await rest("GET", `/approvals/${asked.body.id}`)).body.state).toBe("expired");
    expect(await decide(true, asked.body.id)).toMatchObject({ decided: 0 });
    expect(await titles()).toEqual(["Old"]);
  });

  test("may change and tick things without asking", async () => {
    const { rest } = await someone({ asks_deletions: true });
    const { id } = (
      await rest("POST", "/todos", { title: "Weekly", due_date: "2030-01-07", recurrence: "FREQ=WEEKLY" })
    ).body;
    const answers = [
      await rest("PATCH", `/todos/${id}`, { title: "Each week" }),
      await rest("POST", `/todos/${id}/toggle`),
      // Reopening removes the successor, which nobody calls a deletion.
      await rest("POST", `/todos/${id}/toggle`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe("a token that must ask for changes of more than two things", () => {
  const three = ["a", "b", "c"].map((title) => ({ title }));

  test("asks once for a tool call of three, and gets its answer by repeating the call", async () => {
    const { agent, decide, titles } = await someone({ ask_above: 2 });
    const call = () => agent.call("create-todo", { todos: three, idempotency_key: "k" });
    const asked = await call();
    expect(asked.isError).toBe(false);
    expect(asked.facts).toMatchObject({ waiting: true, state: "waiting", approve_at: expect.any(String) });
    expect(asked.text).toContain(`${stack.config.baseUrl}/account/approvals`);
    expect(await call()).toMatchObject({
      facts: { approval_id: asked.facts.approval_id, waiting: true, replayed: true },
    });
    expect(await titles()).toEqual([]);
    await decide(true, asked.facts.approval_id);
    expect(await titles()).toEqual(["a", "b", "c"]);
    const done = await call();
    expect(done.facts).toMatchObject({ done: 3, replayed: true });
    expect(await titles()).toEqual(["a", "b", "c"]);
  });

  test("asks once for a group, whose operations are then carried out together", async () => {
    const { rest, decide, titles } = await someone({ ask_above: 2 });
    const operations = [
      { method: "POST", path: "/categories", body: { name: "Work" } },
      ...three.map((body) => ({ method: "POST", path: "/todos", body: { ...body, category_id: "$0.id" } })),
      { method: "DELETE", path: "/todos/9999999" },
    ];
    const send = () => rest("POST", "/batch", { operations }, "group");
    const asked = await send();
    expect(asked.status).toBe(202);
    expect((await send()).body).toEqual(asked.body);
    await decide(true, asked.body.id);
    const done = await send();
    expect(done.status).toBe(200);
    expect(done.headers.get("idempotent-replayed")).toBe("true");
    expect(done.body.results.map(({ status }: { status: number }) => status)).toEqual([
      201, 201, 201, 201, 404,
    ]);
    expect(done.body.results[1].body.category).toMatchObject({ name: "Work" });
    expect(await titles()).toEqual(["a", "b", "c"]);
  });

  test("may change two at once, and one after the other as many as it likes", async () => {
    const { agent, rest, titles } = await someone({ ask_above: 2 });
    expect((await agent.call("create-todo", { todos: three.slice(0, 2) })).facts.done).toBe(2);
    for (const body of three) expect((await rest("POST", "/todos", body)).status).toBe(201);
    expect(await titles()).toHaveLength(5);
  });
});

test("a key that is forgotten still finds the same request, and another request under it is asked for anew", async () => {
  const { sub, rest, decide, titles } = await someone({ ask_above: 0 });
  const send = (title: string) => rest("POST", "/todos", { title }, "k");
  const asked = await send("once");
  const forgetKeys = () => page.pool.query("delete from inbox where user_id = $1", [sub]);
  await forgetKeys();
  expect((await send("once")).body.id).toBe(asked.body.id);
  await decide(true, asked.body.id);
  await forgetKeys();
  expect((await send("once")).body).toMatchObject({ title: "once" });
  await forgetKeys();
  expect((await send("other")).status).toBe(202);
  expect(await titles()).toEqual(["once"]);
});

test("rows that a reminder rang for are as they were, and a forgotten thing takes its requests along", async () => {
  const { sub, rest, own, decide, rows, setRules } = await someone({ asks_deletions: true });
  const ids = [];
  for (const title of ["rings", "is forgotten"]) ids.push((await rest("POST", "/todos", { title })).body.id);
  await rest("PUT", `/todos/${ids[0]}/reminder`, { remind_at: "2035-01-01T09:00:00Z" });
  const asked = [];
  for (const id of ids) asked.push((await rest("DELETE", `/todos/${id}`)).body.id);
  await page.pool.query("update reminders set status = 'sent', updated_at = now() where user_id = $1", [sub]);
  await decide(true, asked[0]);
  expect((await rest("GET", `/approvals/${asked[0]}`)).body.state).toBe("done");
  await own("DELETE", `/todos/${ids[1]}`);
  await page.send(sub, "action.forget", { kind: "todo", id: ids[1] });
  expect(await rows("select id from approvals where user_id = $1")).toEqual([{ id: asked[0] }]);
  await setRules({});
});

test("a request is carried out for the day on which it was made", async () => {
  const { rest, decide, rows } = await someone({ ask_above: 0 });
  const made = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await decide(true, made.body.id);
  const [{ id }] = await rows("select id from habits where user_id = $1");
  stack.clock.now = Date.parse("2030-05-04T20:00:00Z");
  const asked = await rest("POST", `/habits/${id}/complete`);
  stack.clock.now += 12 * hourMs;
  await decide(true, asked.body.id);
  expect(await rows("select local_date::text from habit_completions where user_id = $1")).toEqual([
    { local_date: "2030-05-04" },
  ]);
});

test("at most a hundred requests wait, and deciding about them makes room", async () => {
  const { rest, decide } = await someone({ ask_above: 0 });
  const ask = (n: number) => rest("POST", "/todos", { title: `todo ${n}` });
  const asked = await Promise.all(Array.from({ length: 100 }, async (_, n) => (await ask(n)).body.id));
  const refused = await rest("POST", "/todos", { title: "one more" });
  expect([refused.status, refused.body.code]).toEqual([403, "token_limit"]);
  expect(refused.body.message).toContain("/account/approvals");
  await decide(false, ...asked.slice(0, 50));
  expect((await rest("POST", "/todos", { title: "one more" })).status).toBe(202);
});

test("nobody decides about another person's requests, and no token decides at all", async () => {
  const { rest, rows } = await someone({ ask_above: 0 });
  const stranger = await someone();
  const asked = await rest("POST", "/todos", { title: "Mine" });
  expect(await stranger.decide(true, asked.body.id)).toMatchObject({ decided: 0 });
  expect((await stranger.rest("GET", `/approvals/${asked.body.id}`)).status).toBe(404);
  expect((await rest("POST", `/approvals/${asked.body.id}`, { approve: true })).status).toBe(405);
  expect(await rows("select state from approvals where user_id = $1")).toEqual([{ state: "waiting" }]);
});
