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
