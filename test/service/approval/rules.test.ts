import { afterEach, describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { openApprovals } from "./people.ts";

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
  const { sub, rest, own, decide, rows } = await someone({ asks_deletions: true });
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
  const [decided] = await rows("select max(decided_at) as at from approvals where user_id = $1");
  expect(new Date(decided?.at).getTime()).toBe(stack.clock.now);
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

test.each([
  [{ asks_deletions: true }, 202],
  [{ ask_above: 10 }, 202],
  [{ category_id: 1 }, 202],
  [{ changes_per_day: 0 }, 403],
  [{ changes_per_day: 1 }, 201],
])("an act on webhooks, which no image shows, is one to ask for under %j", async (rules, status) => {
  const { rest, own, setRules } = await someone();
  const { id } = (await own("POST", "/categories", { name: "Work" })).body;
  const hook = { url: "https://example.com/kept", events: ["todo.*"] };
  const webhook = (await own("POST", "/webhooks", hook)).body;
  await setRules("category_id" in rules ? { category_id: id } : rules);
  const changes = [
    () => rest("POST", "/webhooks", hook),
    () => rest("PATCH", `/webhooks/${webhook.id}`, { is_active: false }),
    () => rest("DELETE", `/webhooks/${webhook.id}`),
  ];
  // One change a day is the first of them.
  for (const change of changes.slice(0, status === 201 ? 1 : 3)) expect((await change()).status).toBe(status);
  expect((await own("GET", "/webhooks")).body.data).toHaveLength(status === 201 ? 2 : 1);
  expect((await rest("PATCH", "/webhooks/0b7c6a52-5a7c-4a3e-9d3c-8f1f7a0c6c11", {})).status).toBe(404);
});

test("a person is told once in five minutes, however much agents ask, and not of what is decided", async () => {
  let secret = "";
  const receiver = startReceiver(() => secret);
  const { sub, rest, decide, rows } = await someone({ ask_above: 0 });
  await page.send(sub, "user.configure", { webhook_url: receiver.url });
  const settings = await page.send(sub, "user.configure", { reminder_channel: "webhook" });
  secret = settings.webhook_secret;
  stack.clock.now = Date.parse("2030-05-04T10:01:00Z");
  const asked = await Promise.all(
    Array.from({ length: 12 }, (_, n) => rest("POST", "/todos", { title: `todo ${n}` })),
  );
  expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 202));
  await eventually(() => receiver.received.length > 0);
  expect(receiver.received[0]?.event).toMatchObject({
    type: "approvals.waiting",
    data: { link: `${stack.config.baseUrl}/account/approvals`, actions: [] },
  });
  stack.clock.now = Date.parse("2030-05-04T10:05:30Z");
  await eventually(() => receiver.received.length > 1);
  expect(receiver.received[1]?.event.data.waiting).toBe(12);
  expect(receiver.received.map(({ id }) => id)).toEqual([...new Set(receiver.received.map(({ id }) => id))]);
  // A request of the second five minutes is told in the third ones, if it still waits.
  const late = await rest("POST", "/todos", { title: "late" });
  await decide(false, ...asked.map(({ body }) => body.id), late.body.id);
  stack.clock.now = Date.parse("2030-05-04T10:10:30Z");
  const ended = () =>
    rows("select status from reminder_deliveries where user_id = $1 order by created_at, scheduled_at");
  await eventually(async () => (await ended()).every(({ status }) => ["sent", "cancelled"].includes(status)));
  expect((await ended()).map(({ status }) => status)).toEqual(["sent", "sent", "cancelled"]);
  expect(receiver.received).toHaveLength(2);
});

test("nobody is told who has chosen no channel", async () => {
  const { rest, rows } = await someone({ ask_above: 0 });
  expect((await rest("POST", "/todos", { title: "a" })).status).toBe(202);
  expect(await rows("select 1 from reminder_deliveries where user_id = $1")).toEqual([]);
});

describe("a token with a budget", () => {
  test("is refused beyond it with what is left, and begins anew on its person's next day", async () => {
    const { sub, rest, agent, titles } = await someone({ changes_per_day: 2 });
    await page.send(sub, "user.configure", { time_zone: "Asia/Tokyo" });
    // 23:59 in Tokyo.
    stack.clock.now = Date.parse("2030-01-10T14:59:00Z");
    for (const title of ["a", "b"]) expect((await rest("POST", "/todos", { title })).status).toBe(201);
    const refused = await rest("POST", "/todos", { title: "c" }, "key");
    expect([refused.status, refused.body.code]).toEqual([403, "token_limit"]);
    expect(refused.body.message).toBe(
      `This token may change 2 things a day, of which 0 are left. Try less, or wait for the next day in Asia/Tokyo. The person can allow more at ${stack.config.baseUrl}/account/agents`,
    );
    const told = await agent.call("create-todo", { title: "d" });
    expect([told.isError, told.text]).toEqual([true, expect.stringContaining("of which 0 are left")]);
    stack.clock.now += 60_000;
    expect((await rest("POST", "/todos", { title: "c" }, "key")).status).toBe(201);
    expect(await titles()).toEqual(["a", "b", "c"]);
  });

  test("gets none of a call that exceeds it, and counts deletions for themselves", async () => {
    const { rest, agent, titles } = await someone({ deletions_per_day: 1 });
    const ids = [];
    for (const title of ["a", "b", "c"]) ids.push((await rest("POST", "/todos", { title })).body.id);
    const both = await agent.call("delete-todo", { todo_ids: ids.slice(0, 2) });
    expect([both.isError, both.text]).toEqual([
      true,
      expect.stringContaining("delete 1 things a day, of which 1 are left"),
    ]);
    expect(await titles()).toEqual(["a", "b", "c"]);
    expect((await rest("DELETE", `/todos/${ids[0]}`)).status).toBe(204);
    expect((await rest("DELETE", `/todos/${ids[1]}`)).status).toBe(403);
    expect((await rest("PATCH", `/todos/${ids[1]}`, { title: "changed" })).status).toBe(200);
  });

  test("spends it exactly, also by simultaneous requests", async () => {
    const { rest, titles } = await someone({ changes_per_day: 5 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rest("POST", "/todos", { title: `todo ${n}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(15);
    expect(await titles()).toHaveLength(5);
  });

  test("spends nothing by refused, repeated and approved requests", async () => {
    const { rest, decide, setRules } = await someone({ changes_per_day: 2 });
    const { id } = (await rest("POST", "/todos", { title: "a" }, "k")).body;
    await rest("POST", "/todos", { title: "a" }, "k");
    await rest("DELETE", "/todos/999999");
    await setRules({ changes_per_day: 2, asks_deletions: true });
    const asked = await rest("DELETE", `/todos/${id}`);
    await decide(true, asked.body.id);
    expect((await rest("GET", "/me")).body.rules).toMatchObject({ changes_per_day: 2, changes_left: 1 });
    expect((await rest("POST", "/todos", { title: "b" })).status).toBe(201);
    expect((await rest("POST", "/todos", { title: "c" })).status).toBe(403);
  });
});

describe("a token that is limited to a category", () => {
  test("changes things in it, and nothing else", async () => {
    const { own, rest, agent, setRules, rows } = await someone();
    const work = (await own("POST", "/categories", { name: "Work" })).body.id;
    const home = (await own("POST", "/categories", { name: "Home" })).body.id;
    const inside = (await own("POST", "/todos", { title: "in", category_id: work })).body.id;
    const outside = (await own("POST", "/todos", { title: "out", category_id: home })).body.id;
    const habit = (await own("POST", "/habits", { name: "Read", type: "good", frequency: "daily" })).body.id;
    await setRules({ category_id: work });
    const allowed = [
      await rest("POST", "/todos", { title: "new", category_id: work }),
      await rest("PUT", `/todos/${inside}/reminder`, { remind_at: "2031-03-03T09:00" }),
      await rest("POST", `/todos/${inside}/toggle`),
      await rest("DELETE", `/todos/${inside}`),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([201, 200, 200, 204]);
    const before = await rows("select * from todos where user_id = $1 order by id");
    const refused = [
      await rest("POST", "/todos", { title: "without" }),
      await rest("PATCH", `/todos/${outside}`, { title: "changed" }),
      await rest("PUT", `/todos/${outside}/reminder`, { remind_at: "2031-03-03T09:00" }),
      await rest("PATCH", `/todos/${outside}`, { category_id: work }),
      await rest("POST", `/habits/${habit}/complete`),
      await rest("POST", "/categories", { name: "Other" }),
      await rest("DELETE", `/todos/${outside}`),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [403, "token_limit"]),
    );
    expect(refused[0]?.body.message).toBe(
      `This token may only change things in the category “Work” (${work}). Leave other things to the person, who can allow more at ${stack.config.baseUrl}/account/agents`,
    );
    const moved = await agent.call("create-todo", { title: "x", category_id: home });
    expect([moved.isError, moved.text]).toEqual([true, expect.stringContaining("“Work”")]);
    expect(await rows("select * from todos where user_id = $1 order by id")).toEqual(before);
    expect((await rest("GET", "/todos")).body.data).toHaveLength(2);
  });
});

test("a token learns its own rules, and one without rules that it has none", async () => {
  const { rest, own } = await someone({ asks_deletions: true, ask_above: 10, deletions_per_day: 3 });
  expect((await rest("GET", "/me")).body.rules).toEqual({
    asks_deletions: true,
    ask_above: 10,
    changes_per_day: null,
    changes_left: null,
    deletions_per_day: 3,
    deletions_left: 3,
    category: null,
  });
  expect((await own("GET", "/me")).body.rules).toBeNull();
});

test("rules that are taken away bind no more", async () => {
  const { rest, setRules } = await someone({ ask_above: 0 });
  expect((await rest("POST", "/todos", { title: "a" })).status).toBe(202);
  await setRules({});
  expect((await rest("POST", "/todos", { title: "a" })).status).toBe(201);
});
