import { describe, expect, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { type ActionRow, newcomer, post, rpc } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await startStack({ env: { MCP_RATE_LIMIT_PER_MINUTE: "20" } });

async function fresh(claims: object = {}) {
  const tokenId = crypto.randomUUID();
  const person = await newcomer(stack, { jti: tokenId, client_name: "Ada's agent", ...claims });
  return {
    ...person,
    tokenId,
    readResource: (uri: string) => post(stack, rpc("resources/read", { uri }), { token: person.token }),
    /** The log of the calls: exactly one row each, in their order. */
    outcomes: async () =>
      (await person.logged()).map(({ tool, outcome, replayed }) => [tool, outcome, replayed]),
  };
}

describe("every call leaves exactly one row", () => {
  test("with the token, the app, the tool, the arguments as sent, the time and the duration", async () => {
    const { call, tokenId, logged } = await fresh();
    const args = { title: "Call the dentist", idempotency_key: "k" };
    const before = Date.now();
    await call("create-todo", args);
    const [row, ...more] = await logged();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ token_id: tokenId, client_name: "Ada's agent", tool: "create-todo" });
    expect(row).toMatchObject({ outcome: "ok", replayed: false });
    expect(JSON.parse(row?.arguments ?? "")).toEqual(args);
    const { called_at, duration_ms } = row as ActionRow;
    expect(called_at.getTime()).toBeWithin(before - 1, Date.now() + 1);
    expect(duration_ms).toBeWithin(0, Date.now() - before + 1);
  });

  test("dated by the same clock as the command that it asks for", async () => {
    const { call, logged } = await fresh();
    const now = Date.now() + 120_000;
    stack.clock.now = now;
    await call("create-todo", { title: "Later" });
    await call("get-pending-todos");
    stack.clock.now = undefined;
    expect((await logged()).map(({ called_at }) => called_at.getTime())).toEqual([now, now]);
  });

  test("reads, writes, conflicts, unknown ids, bad arguments, unknown tools and repeats", async () => {
    const { call, outcomes } = await fresh();
    const { facts } = await call("create-habit", { name: "Read" });
    const habit_id = facts.habit.id;
    await call("complete-habit", { habit_id });
    await call("complete-habit", { habit_id });
    await call("complete-habit", { habit_id: habit_id + 1_000 });
    await call("get-today-habits", {});
    await call("get-today-habits", { day: "monday" });
    await call("create-todo", { title: "x", category_id: 123 });
    await call("create-todo", { title: "x", idempotency_key: "k" });
    await call("create-todo", { title: "x", idempotency_key: "k" });
    await call("create-todo", { title: "y", idempotency_key: "k" });
    await call("launch-rocket", {});
    expect(await outcomes()).toEqual([
      ["create-habit", "ok", false],
      ["complete-habit", "ok", false],
      ["complete-habit", "conflict", false],
      ["complete-habit", "not_found", false],
      ["get-today-habits", "ok", false],
      ["get-today-habits", "invalid", false],
      ["create-todo", "invalid", false],
      ["create-todo", "ok", false],
      ["create-todo", "ok", true],
      ["create-todo", "invalid", false],
      ["launch-rocket", "not_found", false],
    ]);
  });

  test("calls without the scope", async () => {
    const { call, outcomes } = await fresh({ scope: "habits:read" });
    expect((await call("create-todo", { title: "x" })).answer.status).toBe(403);
    expect(await outcomes()).toEqual([["create-todo", "insufficient_scope", false]]);
  });

  test("calls and reads of resources over the limit, which count together and are told how long to wait", async () => {
    const { call, readResource, outcomes } = await fresh();
    await Promise.all(Array.from({ length: 20 }, () => call("get-pending-todos")));
    const [tool, { body }] = [await call("get-pending-todos"), await readResource("kept://today")];
    const wait = { code: "rate_limited", retry_after_seconds: expect.any(Number) };
    expect(tool).toMatchObject({ isError: true, facts: wait });
    expect(body.error.data).toEqual(wait);
    for (const sentence of [tool.text, body.error.message])
      expect(sentence).toMatch(/^Too many tool calls; wait \d+ seconds and call again\./);
    const logged = (await outcomes()).map(([, outcome]) => outcome);
    expect(logged.slice(0, 20)).not.toContain("rate_limited");
    expect(new Set(logged.slice(20))).toEqual(new Set(["rate_limited"]));
  });

  test("calls over the rate limit share a row of their minute, with their number", async () => {
    const { call, logged } = await fresh();
    const flood = { title: "x".repeat(60_000) };
    for (let wave = 0; wave < 3; wave++)
      await Promise.all(Array.from({ length: 100 }, () => call("create-todo", flood)));
    const count = (rows: ActionRow[]) => rows.reduce((sum, { calls }) => sum + calls, 0);
    await eventually(async () => count(await logged()) === 300);
    const rows = (await logged()).filter(({ outcome }) => outcome === "rate_limited");
    expect(count(rows)).toBeGreaterThan(200);
    // The flood may reach into the next minute.
    expect(rows.length).toBeLessThanOrEqual(2);
    for (const row of rows) expect(row.arguments.length).toBeLessThanOrEqual(1_024);
  });

  test("arguments are kept to 4 KiB of a call that ran and 1 KiB of a refused one, with length and hash", async () => {
    const { call, logged } = await fresh();
    const long = { title: "Long", description: "é".repeat(4_900) };
    const odd = {
      title: "Odd",
      ...Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`a${n}`, "ü"])),
    };
    await call("create-todo", long);
    await call("create-todo", odd);
    await call("complete-habit", { habit_id: 1, ["y".repeat(2_000)]: ["\u0000"] });
    const [ran, refused, named] = (await logged()).map((row) => row.arguments);
    for (const text of [ran, refused, named]) expect(Array.isArray(JSON.parse(text ?? ""))).toBe(true);
    expect(Buffer.byteLength(ran ?? "")).toBeWithin(2_000, 4_097);
    expect(Buffer.byteLength(refused ?? "")).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(named ?? "")).toBeLessThanOrEqual(1_024);
    const sent = JSON.stringify(long);
    const [kept, cut] = JSON.parse(ran ?? "");
    expect(kept.title).toBe("Long");
    const sha256 = new Bun.CryptoHasher("sha256").update(sent).digest("hex");
    expect(cut).toEqual({ bytes: Buffer.byteLength(sent), sha256 });
    expect(JSON.parse(named ?? "")[0].habit_id).toBe(1);
  });

  test("names that would steer a terminal or that Postgres cannot store are made harmless", async () => {
    const { call, logged } = await fresh({ client_name: "evil\u0000\u001b[2J" });
    await call("tool\u0000\u001b[2J", { title: "\u0000\u001b[2J\ud800" });
    const [row] = await logged();
    expect(row?.client_name).toBe("evil\u{FFFD}\u{FFFD}[2J");
    expect(row?.tool).toBe("tool\u{FFFD}\u{FFFD}[2J");
    expect(JSON.parse(row?.arguments ?? "")).toEqual({ title: "\u0000\u001b[2J\ud800" });
  });
});

test("a read that failed gives nothing away, and leaves no row that says it was done", async () => {
  const { call, readResource, outcomes } = await fresh();
  await stack.sql`alter table todos rename to todos_away`;
  const { isError, text } = await call("get-pending-todos");
  const { body } = await readResource("kept://today");
  await stack.sql`alter table todos_away rename to todos`;
  expect([isError, text]).toEqual([true, expect.stringContaining("call again")]);
  expect(body.error.data).toMatchObject({ code: "overloaded", applied: "no" });
  expect(await outcomes()).toEqual([]);
});

test("what is no tool call leaves no row", async () => {
  const { token, logged } = await fresh();
  await post(stack, rpc("tools/list"), { token });
  await post(stack, rpc("ping"), { token });
  await post(stack, rpc("tools/call", { name: 7 }), { token });
  await post(stack, rpc("tools/call", { name: "create-todo", arguments: [] }), { token });
  expect(await logged()).toEqual([]);
});
