import { describe, expect, test } from "bun:test";
import { type Answer, type JsonBody, startStack, useStack } from "../../harness.ts";
import { create, groupSender, statuses } from "../../support/groups.ts";
import { whenNotBusy } from "../../support/odd-values.ts";

const stack = await useStack();
const { rest, sql } = stack;
const newSender = (claims: Record<string, unknown> = {}) => groupSender(stack, claims);
const bodies = ({ body }: Answer): JsonBody[] => body.results.map((result: JsonBody) => result.body);

test("a group has no state of its own, so a precondition on it is refused before anything is done", async () => {
  const { titles, token } = await newSender();
  for (const name of ["If-Match", "If-None-Match"]) {
    const headers = { [name]: '"a"' };
    const answer = await rest("POST", "/batch", { token, headers, body: { operations: [create("one")] } });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [name]]);
  }
  expect(await titles()).toEqual([]);
});

describe("operations of a group", () => {
  test("are answered in order, each with the status and body that it would have had alone", async () => {
    const { group, titles } = await newSender();
    const answer = await group([
      create("one"),
      create(""),
      { method: "PATCH", path: "/todos/$0.id", body: { title: "uno" } },
      { method: "POST", path: "/todos/999999/toggle" },
      { method: "POST", path: "/habits", body: { name: "Walk", type: "good", frequency: "daily" } },
      { method: "POST", path: "/habits/$4.id/complete" },
      { method: "POST", path: "/habits/$5.id/complete" },
      { method: "PUT", path: "/todos/$2.id/reminder", body: { remind_at: "2099-01-01T09:00" } },
      { method: "DELETE", path: "/todos/$0.id" },
      { method: "DELETE", path: "/todos/x" },
    ]);
    expect(answer.status).toBe(200);
    expect(statuses(answer)).toEqual([201, 422, 200, 404, 201, 200, 409, 200, 204, 404]);
    const [one, empty, uno, missing, , walked, again, reminder, deleted] = bodies(answer);
    expect(uno).toEqual({ ...one, title: "uno", updated_at: uno.updated_at });
    expect(Object.keys(empty)).toEqual(["message", "errors"]);
    expect(missing).toEqual({ message: "Todo not found.", code: "not_found" });
    expect(walked).toMatchObject({ streak_count: 1, is_completed_today: true });
    expect(again.code).toBe("conflict");
    expect(reminder.todo_id).toBe(one.id);
    expect(deleted).toBeNull();
    expect(await titles()).toEqual([]);
  });

  test("refer to what earlier ones made, in the path and in ids of the body, but not in text", async () => {
    const { group, rest: send } = await newSender();
    const answer = await group(
      [
        { method: "POST", path: "/categories", body: { name: "Home" } },
        create("$0.id", { category_id: "$0.id", recurrence: "FREQ=DAILY" }),
        { method: "POST", path: "/todos/$1.id/toggle" },
        { method: "POST", path: "/todos/$2.id/toggle" },
        { method: "POST", path: "/todos/$3.id/toggle", body: { is_completed: true } },
        { method: "PATCH", path: "/categories/$0.id", body: { name: "House" } },
        { method: "PATCH", path: "/todos/$4.id", body: { description: "done" } },
      ],
      { atomic: true },
    );
    expect(statuses(answer)).toEqual([201, 201, 200, 200, 200, 200, 200]);
    const [category, todo, , reopened, , , described] = bodies(answer);
    expect(todo).toMatchObject({ title: "$0.id", category: { id: category.id } });
    expect(reopened).toMatchObject({ is_completed: false, next_todo_id: null });
    expect(described).toMatchObject({ id: todo.id, is_completed: true, category: { name: "House" } });
    const { body: next } = await send("GET", `/todos/${described.next_todo_id}`);
    expect(next).toMatchObject({ title: "$0.id", category: { name: "House" } });
    expect((await send("GET", `/todos/${todo.id}`)).body).toEqual(described);
  });

  test("get ids in their order, one each, whether others refer to them or not", async () => {
    const { group } = await newSender();
    const lastId = async () => Number((await sql`select last_value from categories_id_seq`)[0].last_value);
    const category = (name: string) => ({ method: "POST", path: "/categories", body: { name } });
    const before = await lastId();
    const answer = await group([
      category("a"),
      category("b"),
      create("in b", { category_id: "$1.id" }),
      category("c"),
    ]);
    const [a, b, , c] = bodies(answer).map(({ id }) => id);
    expect([a, b, c]).toEqual([a, a + 1, a + 2]);
    expect(await lastId()).toBe(before + 3);
  });

  test("that need a failed one are 424, and so are those that need these; others are carried out", async () => {
    const { group, titles } = await newSender();
    const operations = [
      { method: "POST", path: "/todos/999999/toggle" },
      { method: "PATCH", path: "/todos/$0.id", body: { title: "never" } },
      { method: "DELETE", path: "/todos/$1.id" },
      create("independent"),
      create(""),
      { method: "DELETE", path: "/todos/$4.id" },
    ];
    const answer = await group(operations);
    expect(statuses(answer)).toEqual([404, 424, 424, 201, 422, 424]);
    expect(bodies(answer)[2]).toEqual({
      message: "Not carried out, because operation 1 failed.",
      code: "failed_dependency",
    });
    expect(await titles()).toEqual(["independent"]);
  });

  test("need the scopes of their own routes", async () => {
    const { group, titles } = await newSender({ scope: "todos:write" });
    const category = { method: "POST", path: "/categories", body: { name: "c" } };
    const answer = await group([create("allowed"), category]);
    expect(statuses(answer)).toEqual([201, 403]);
    expect(bodies(answer)[1].code).toBe("insufficient_scope");
    expect(statuses(await group([create("none"), category], { atomic: true }))).toEqual([424, 403]);
    expect(await titles()).toEqual(["allowed"]);
  });

  test("leave nothing behind of what they made and removed again", async () => {
    const { group, rest: send } = await newSender();
    const habit = { name: "h", type: "good", frequency: "daily" };
    const operations = [
      { method: "POST", path: "/categories", body: { name: "Gone" } },
      create("stays", { category_id: "$0.id" }),
      { method: "POST", path: "/habits", body: { ...habit, category_id: "$0.id" } },
      { method: "POST", path: "/habits/$2.id/complete" },
      { method: "DELETE", path: "/habits/$2.id" },
      { method: "DELETE", path: "/categories/$0.id" },
    ];
    const answer = await group(operations, { atomic: true });
    expect(statuses(answer)).toEqual([201, 201, 201, 200, 204, 204]);
    const todo = await send("GET", `/todos/${bodies(answer)[1].id}`);
    expect(todo.body).toMatchObject({ title: "stays", category: null });
    expect((await send("GET", "/habits")).body.data).toEqual([]);
  });

  test("may have a query in their path", async () => {
    const { group } = await newSender();
    const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const path = "/habits/$0.id/complete";
    const operations = [
      { method: "POST", path: "/habits", body: { name: "h", type: "good", frequency: "daily" } },
      { method: "POST", path, body: { date } },
      { method: "POST", path },
      { method: "DELETE", path: `${path}?date=${date}` },
      { method: "DELETE", path: `${path}?date=${date}` },
      { method: "DELETE", path: `${path}?date=${date}?x` },
    ];
    const answer = await group(operations);
    expect(statuses(answer)).toEqual([201, 200, 200, 200, 409, 422]);
    const counts = bodies(answer).map(({ completions_count }) => completions_count);
    expect(counts).toEqual([0, 1, 2, 1, undefined, undefined]);
  });

  test("may say null for what they leave out, but not for their path", async () => {
    const { group, rest: send } = await newSender();
    const { body: todo } = await send("POST", "/todos", { title: "mine" });
    const toggle = { method: "POST", path: `/todos/${todo.id}/toggle`, body: null, idempotency_key: null };
    expect(statuses(await group([toggle]))).toEqual([200]);
    const described = { ...create("a"), body: { title: "a", description: null } };
    expect(statuses(await group([described]))).toEqual([201]);
    const refused = await group([{ ...toggle, path: null }]);
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["operations.0.path"]]);
  });
});

describe("a group is refused before anything of it is carried out", () => {
  const toggle = (path: string) => ({ method: "POST", path });
  const cases: [string, readonly unknown[], string[]][] = [
    ["none", [], ["operations"]],
    ["51", Array.from({ length: 51 }, () => create("many")), ["operations"]],
    ["no object", [create("a"), 7], ["operations.1"]],
    ["an unknown path", [create("a"), { method: "POST", path: "/nothing" }], ["operations.1.path"]],
    ["a path of another method", [create("a"), { method: "PUT", path: "/todos" }], ["operations.1.path"]],
    ["a read", [create("a"), { method: "GET", path: "/todos" }], ["operations.1.method"]],
    ["a group", [create("a"), { method: "POST", path: "/batch", body: {} }], ["operations.1.path"]],
    ["no path", [create("a"), { method: "POST" }], ["operations.1.path"]],
    ["a body that is no object", [create("a"), { ...create("b"), body: [] }], ["operations.1.body"]],
    [
      "an empty key",
      [create("a"), { ...create("b"), idempotency_key: "" }],
      ["operations.1.idempotency_key"],
    ],
    ["an unknown field", [create("a"), { ...create("b"), boddy: {} }], ["operations.1.boddy"]],
    ["a reference to itself", [create("a"), toggle("/todos/$1.id/toggle")], ["operations.1.path"]],
    ["a later one", [toggle("/todos/$1.id/toggle"), create("a")], ["operations.0.path"]],
    ["a malformed one", [create("a"), toggle("/todos/$0/toggle")], ["operations.1.path"]],
    ["one to another thing", [create("a"), toggle("/habits/$0.id/complete")], ["operations.1.path"]],
    [
      "one to what has no id",
      [create("a"), { method: "DELETE", path: "/todos/$0.id" }, toggle("/todos/$1.id/toggle")],
      ["operations.2.path"],
    ],
    [
      "one in a body",
      [create("a"), create("b", { category_id: "$9.id" }), create("c", { category_id: "$0.id" })],
      ["operations.1.body.category_id", "operations.2.body.category_id"],
    ],
  ];
  test.each(cases)("%s", async (_, operations, fields) => {
    const { group, titles } = await newSender();
    const answer = await group(operations);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, fields]);
    expect(await titles()).toEqual([]);
  });
});

describe("an atomic group", () => {
  test("does nothing when one fails, which alone has its own status", async () => {
    const { group, titles, rest: send } = await newSender();
    const { body: kept } = await send("POST", "/todos", { title: "kept" });
    const operations = [
      create("a"),
      { method: "PATCH", path: `/todos/${kept.id}`, body: { title: "changed" } },
      { method: "DELETE", path: "/todos/999999" },
      { method: "DELETE", path: "/todos/999998" },
    ];
    const answer = await group(operations, { atomic: true });
    expect(statuses(answer)).toEqual([424, 424, 404, 424]);
    expect(bodies(answer)[0].message).toBe("Not carried out, because operation 2 failed.");
    expect(statuses(await group([create("a"), create("")], { atomic: true }))).toEqual([424, 422]);
    expect(await titles()).toEqual(["kept"]);
    expect((await send("GET", `/todos/${kept.id}`)).body).toEqual(kept);
  });

  test("that is repeated answers the same, done or failed, though the state has changed", async () => {
    const { group, titles, rest: send } = await newSender();
    const done = { atomic: true, key: "done" };
    const first = await group([create("a"), { method: "DELETE", path: "/todos/$0.id" }], done);
    const again = await group([create("a"), { method: "DELETE", path: "/todos/$0.id" }], done);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    const habit = { name: "h", type: "good", frequency: "daily" };
    const { body: walk } = await send("POST", "/habits", habit);
    const path = `/habits/${walk.id}/complete`;
    await send("POST", path);
    const operations = [create("b"), { method: "POST", path }];
    const failed = { atomic: true, key: "failed" };
    expect(statuses(await group(operations, failed))).toEqual([424, 409]);
    await send("DELETE", path);
    expect(statuses(await group(operations, failed))).toEqual([424, 409]);
    expect(statuses(await group(operations, { atomic: true, key: "another" }))).toEqual([201, 200]);
    expect(await titles()).toEqual(["b"]);
  });
});

describe("idempotency keys", () => {
  test("are the same for an operation as for the request that it is", async () => {
    const { group, titles, rest: send } = await newSender();
    const alone = await send("POST", "/todos", { title: "alone" }, "alone");
    const operations = [
      { ...create("alone"), idempotency_key: "alone" },
      { ...create("other"), idempotency_key: "alone" },
      { ...create("in a group"), idempotency_key: "in a group" },
      { method: "POST", path: "/todos/$0.id/toggle", idempotency_key: "toggle" },
    ];
    const answer = await group(operations);
    expect(statuses(answer)).toEqual([201, 422, 201, 200]);
    expect(Object.keys(bodies(answer)[1].errors)).toEqual(["idempotency_key"]);
    expect(bodies(answer)[0]).toEqual(alone.body);
    const replay = await send("POST", "/todos", { title: "in a group" }, "in a group");
    expect([replay.body, replay.headers.get("idempotent-replayed")]).toEqual([bodies(answer)[2], "true"]);
    const toggled = await send("POST", `/todos/${alone.body.id}/toggle`, undefined, "toggle");
    expect(toggled.body).toEqual(bodies(answer)[3]);
    expect(await titles()).toEqual(["alone", "in a group"]);
  });

  test("of the group make a repeat of it happen once; what was refused may be corrected", async () => {
    const { group, titles } = await newSender();
    const operations = (title: string) => [
      create("a"),
      { method: "POST", path: "/todos/$0.id/toggle" },
      create(title),
      { method: "DELETE", path: "/todos/$2.id" },
      create("z"),
    ];
    const first = await group(operations(""), { key: "key" });
    expect(statuses(first)).toEqual([201, 200, 422, 424, 201]);
    const corrected = await group(operations("b"), { key: "key" });
    expect(statuses(corrected)).toEqual([201, 200, 201, 204, 201]);
    expect(bodies(corrected)[1]).toEqual(bodies(first)[1]);
    const many = await Promise.all(Array.from({ length: 10 }, () => group(operations("b"), { key: "key" })));
    for (const answer of many) expect(answer.body).toEqual(corrected.body);
    expect(await titles()).toEqual(["a", "z"]);
  });

  test("hold for groups that arrive twice at the same time, with references too", async () => {
    for (let round = 0; round < 5; round++) {
      const { group, titles } = await newSender();
      const operations = [
        create("a", { recurrence: "FREQ=DAILY" }),
        { method: "POST", path: "/todos/$0.id/toggle" },
      ];
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          whenNotBusy(() => group(operations, { key: "race", atomic: index % 2 === 0 })),
        ),
      );
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
      expect(await titles()).toEqual(["a", "a"]);
    }
  });
});

test("an unknown field of a group is refused, one of an operation's body or query is that operation's own 422", async () => {
  const refused = await rest("POST", "/batch", { body: { operations: [create("a")], atomc: true } });
  expect([refused.status, refused.body.message]).toEqual([
    422,
    "atomc is not a field of this request; did you mean atomic?",
  ]);
  const operations = [create("a", { due: "2026-11-20" }), { ...create("b"), path: "/todos?page=1" }];
  const answer = await (await newSender()).group(operations);
  expect([answer.status, statuses(answer)]).toEqual([200, [422, 422]]);
  expect(bodies(answer)[0].message).toContain("did you mean due_date?");
});

test("50 operations count as one request for the rate limit", async () => {
  const limited = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "2" } });
  const operations = Array.from({ length: 50 }, (_, index) => create(`t${index}`));
  const answer = await limited.rest("POST", "/batch", { body: { operations } });
  expect([answer.status, answer.headers.get("x-ratelimit-remaining")]).toEqual([200, "1"]);
  expect(new Set(statuses(answer))).toEqual(new Set([201]));
});
