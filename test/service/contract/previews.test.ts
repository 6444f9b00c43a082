import { describe, expect, test } from "bun:test";
import { commands } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../shared/contracts/kernel/contract.ts";
import { type JsonBody, useStack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T08:30:00Z");
const { sql } = stack;

const tables: readonly string[] = (
  await sql`select table_name as name from information_schema.columns join pg_class on relname = table_name
    where table_schema = 'public' and column_name = 'user_id' and table_name <> 'account_bytes' and not relispartition and relkind in ('r', 'p') order by 1`
).map(({ name }: { name: string }) => name);

/** Every row of a person, as one hash for each table. Workers move the cursors of webhooks, and count what accounts keep. */
async function hashesOf(sub: string): Promise<Record<string, string>> {
  const found = tables.map(async (name) => {
    const [row] = await sql.unsafe(
      `select md5(string_agg(r, '|' order by r)) as hash
       from (select (to_jsonb(t) - 'cursor')::text as r from ${name} t where user_id = $1) t`,
      [sub],
    );
    return [name, row.hash];
  });
  return Object.fromEntries(await Promise.all(found));
}

/** A person with the things of the examples: completed, skipped and reminded, so that each change finds something. */
async function newWorld() {
  const { sub, token, rest: send } = await newcomer(stack, { client_name: "Claude Code" });
  const create = async (path: string, body: object) => (await send("POST", path, body)).body.id;
  const category_id = await create("/categories", { name: "Old", color: "#000000", icon: "heart" });
  const habit_id = await create("/habits", { name: "Read", type: "good", frequency: "daily", category_id });
  const todo = { title: "Call the dentist", due_date: "2026-11-23", category_id, recurrence: "FREQ=WEEKLY" };
  const todo_id = await create("/todos", todo);
  await send("PUT", `/todos/${todo_id}/reminder`, { remind_at: "2026-11-23T09:00" });
  const hook = { url: "https://n8n.example.org/webhook/kept", events: ["todo.*"] };
  const webhook_id = await create("/webhooks", hook);
  await send("PATCH", `/webhooks/${webhook_id}`, { is_active: false });
  const ids: Readonly<Record<string, number>> = { category_id, habit_id, todo_id, webhook_id };
  return { sub, token, send, ids, stored: () => hashesOf(sub) };
}

// A delivery to send again is there only when a worker has sent it (test/service/webhook/webhooks.test.ts).
const changes = Object.values<CommandContract>(commands)
  .flatMap(({ rest: routes = [] }) => routes)
  .filter(({ path }) => !path.includes("/deliveries"));
const firstDone: Readonly<Record<string, string>> = {
  undoHabitCompletion: "/complete",
  takeHabitSkipBack: "/skip",
};

/** A preview and its call differ in the ids of new things and in the times of writing. */
const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body ?? null, (key, value) =>
      /^(id|.*_id|(created|updated|completed)_at|secret)$/.test(key) && value !== null ? key : value,
    ),
  );

describe("a preview changes no table, and says what the request then answers and changes", () => {
  test.each(changes.map((change) => [change.operationId, change] as const))("%s", async (name, change) => {
    const { send, ids, stored } = await newWorld();
    const { method, path, example } = change;
    const input = example.input as Record<string, JsonBody>;
    if (firstDone[name])
      await send("POST", `/habits/${ids.habit_id}${firstDone[name]}`, { date: input.date });
    const address = path.replace(/\{(\w+)\}/, (_, id: string) => String(ids[id]));
    const inPath = path.match(/\{(\w+)\}/)?.[1];
    const fields = Object.entries({ ...input, ...(input.category_id && { category_id: ids.category_id }) });
    const sent = fields.filter(([field]) => field !== inPath);
    const isDeletion = method === "DELETE";
    const query = new URLSearchParams();
    if (isDeletion) for (const [field, value] of sent) query.set(field, String(value));
    const body = isDeletion ? undefined : Object.fromEntries(sent);
    const before = await stored();
    const asked = new URLSearchParams([...query, ["preview", "true"]]);
    const preview = await send(method, `${address}?${asked}`, body);
    expect(await stored()).toEqual(before);
    expect(preview).toMatchObject({ status: 200, body: { preview: true } });
    expect(preview.headers.has("location")).toBe(false);
    const real = await send(method, `${address}${query.size > 0 ? `?${query}` : ""}`, body);
    expect(real.status).toBe(change.status ?? 200);
    expect(comparable(preview.body.would)).toEqual(comparable(real.body));
    expect(await stored()).not.toEqual(before);
    // The log of changes is about things, not about webhooks.
    expect(preview.body.changes.length > 0).toBe(!path.startsWith("/webhooks"));
  });
});

test("a change shows the fields that differ, before and after; a new or deleted thing all of its own", async () => {
  const { send, ids } = await newWorld();
  const { todo_id, habit_id } = ids;
  const of = async (method: string, path: string, body?: object) =>
    (await send(method, `${path}?preview=true`, body)).body.changes;
  const [was, is] = [{ title: "Call the dentist" }, { title: "Call the doctor" }];
  expect(await of("PATCH", `/todos/${todo_id}`, { ...is, context: null })).toEqual([
    { kind: "todo", id: todo_id, name: is.title, before: was, after: is },
  ]);
  expect(await of("PATCH", `/todos/${todo_id}`, was)).toEqual([]);
  const [next, done] = await of("POST", `/todos/${todo_id}/toggle`);
  const pending = { is_completed: false, reminder: { status: "scheduled" } };
  const completed = { is_completed: true, next_todo_id: next.id, reminder: { status: "suspended" } };
  expect(done).toMatchObject({ id: todo_id, before: pending, after: completed });
  expect(next).toMatchObject({ before: null, after: { due_date: "2026-11-30", category: { name: "Old" } } });
  const [open, kept] = [0, 1].map((streak) => ({ streak_count: streak, is_completed_today: streak > 0 }));
  expect(await of("POST", `/habits/${habit_id}/complete`)).toMatchObject([{ before: open, after: kept }]);
  expect(await of("DELETE", `/todos/${todo_id}`)).toMatchObject([
    { kind: "todo", name: was.title, before: { ...was, id: todo_id }, after: null },
  ]);
});

test("a preview is refused as the change would be, and a wrong preview parameter is refused before anything runs", async () => {
  const { send, ids, stored } = await newWorld();
  const refusals = [
    ["PATCH", "/todos/1?preview=true", { title: "x" }, 404],
    ["PATCH", `/todos/${ids.todo_id}?preview=true`, { title: "" }, 422],
    ["DELETE", `/habits/${ids.habit_id}/complete?preview=true`, undefined, 409],
    ["DELETE", `/todos/${ids.todo_id}?preview=yes`, undefined, 422],
    ["DELETE", `/todos/${ids.todo_id}?preview=true&preview=true`, undefined, 422],
    ["DELETE", `/todos/${ids.todo_id}?previw=true`, undefined, 422],
  ] as const;
  const before = await stored();
  for (const [method, path, body, status] of refusals)
    expect([path, (await send(method, path, body)).status]).toEqual([path, status]);
  expect(await stored()).toEqual(before);
  expect((await send("DELETE", `/todos/${ids.todo_id}?previw=true`)).body.message).toContain("preview?");
  expect((await send("DELETE", `/todos/${ids.todo_id}?preview=false`)).status).toBe(204);
});

test("a preview needs the scope of the change and to read what it shows, and a precondition refuses it, too", async () => {
  const { sub, token, ids } = await newWorld();
  const [path, category] = [
    `/todos/${ids.todo_id}?preview=true`,
    `/categories/${ids.category_id}?preview=true`,
  ];
  const deletion = { method: "DELETE", path: `/todos/${ids.todo_id}` };
  for (const [scope, method, address, status] of [
    ["todos:read", "DELETE", path, 403],
    ["todos:write", "DELETE", path, 403],
    ["todos:write", "POST", "/batch?preview=true", 403],
    ["categories:write", "DELETE", category, 403],
    ["categories:read categories:write", "DELETE", category, 200],
  ] as const) {
    const narrow = await stack.issuer.token({ sub, scope });
    const body = method === "POST" ? { operations: [deletion], atomic: true } : undefined;
    const answer = await stack.rest(method, address, { token: narrow, body });
    // A refused operation of a batch has its own status.
    expect([scope, answer.body.would?.results[0].status ?? answer.status]).toEqual([scope, status]);
  }
  const headers = { "if-match": '"other"' };
  expect((await stack.rest("PATCH", path, { token, headers, body: { title: "x" } })).status).toBe(412);
});

test("a preview uses no key: the change under the same key still happens, and a preview after it shows the stored answer", async () => {
  const { rest } = await newcomer(stack);
  const post = (path: string) => rest("POST", path, { title: "Once" }, "k");
  expect((await post("/todos?preview=true")).body.preview).toBe(true);
  const made = await post("/todos");
  expect([made.status, made.headers.has("idempotent-replayed")]).toEqual([201, false]);
  const again = await post("/todos?preview=true");
  expect(again.body).toEqual({ preview: true, would: made.body, changes: [] });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test.each([true, false])(
  "a batch (atomic: %j) is previewed as a whole: later operations see earlier ones",
  async (atomic) => {
    const { send, ids, stored } = await newWorld();
    const operations = [
      { method: "POST", path: "/todos", body: { title: "Sweep" } },
      { method: "PATCH", path: "/todos/$0.id", body: { title: "Sweep well" } },
      { method: "DELETE", path: `/todos/${ids.todo_id}` },
    ];
    const before = await stored();
    const preview = await send("POST", "/batch?preview=true", { atomic, operations });
    expect(await stored()).toEqual(before);
    expect(preview.body.changes).toMatchObject([
      { name: "Sweep", before: null },
      { before: { title: "Sweep" }, after: { title: "Sweep well" } },
      { id: ids.todo_id, after: null },
    ]);
    const real = await send("POST", "/batch", { atomic, operations });
    expect(comparable(preview.body.would)).toEqual(comparable(real.body));
  },
);

test("a batch with a failing operation is previewed like it would end, and an operation has no preview of its own", async () => {
  const { send, ids } = await newWorld();
  const operations = [
    { method: "DELETE", path: `/todos/${ids.todo_id}` },
    { method: "PATCH", path: "/todos/1", body: { title: "x" } },
  ];
  for (const atomic of [true, false]) {
    const { body } = await send("POST", "/batch?preview=true", { atomic, operations });
    expect(body.changes).toHaveLength(atomic ? 0 : 1);
    const real = atomic ? await send("POST", "/batch", { atomic, operations }) : undefined;
    if (real) expect(body.would).toEqual(real.body);
  }
  const alone = [{ method: "DELETE", path: `/todos/${ids.todo_id}?preview=true` }];
  expect((await send("POST", "/batch", { operations: alone })).body.results[0].status).toBe(422);
});

test("a tool's preview says first that nothing was changed, and has the answer and the changes of the call", async () => {
  const { call, rest } = await newcomer(stack);
  const todos = async () => (await rest("GET", "/todos")).body.data.length;
  const shown = await call("create-todo", { title: "Milk", preview: true, idempotency_key: "m" });
  expect(shown.text).toStartWith("A preview: nothing was changed.");
  expect(shown.text).toContain('- new todo "Milk": {');
  expect(shown.facts).toMatchObject({ preview: true, todo: { title: "Milk" }, changes: [{ before: null }] });
  expect(await todos()).toBe(0);
  const made = await call("create-todo", { title: "Milk", idempotency_key: "m" });
  expect(made.facts.replayed).toBeUndefined();
  const todo_id = made.facts.todo.id;
  const change = await call("update-todo", { todo_id, title: "Oat milk", preview: true });
  expect(change.text).toContain(`- todo #${todo_id} "Oat milk": title "Milk" -> "Oat milk"`);
  const gone = await call("delete-todo", { todo_ids: [todo_id], preview: true });
  expect(gone.facts).toMatchObject({ preview: true, done: 1, changes: [{ id: todo_id, after: null }] });
  expect(await todos()).toBe(1);
  const several = await call("create-todo", { todos: [{ title: "a" }, { title: "b" }], preview: true });
  expect(several.facts.changes).toHaveLength(2);
  const one = await call("create-todo", { todos: [{ title: "a", preview: true }] });
  expect(one.isError).toBe(true);
  const refused = await call("toggle-todo", { todo_id: 1, preview: true });
  expect([refused.isError, refused.facts.code]).toEqual([true, "not_found"]);
});

test("a preview over REST has no row in the log, and a tool's is a read there", async () => {
  const { call, rest, logged } = await newcomer(stack);
  await rest("POST", "/todos?preview=true", { title: "Milk" });
  await call("create-todo", { title: "Milk", preview: true });
  const rows = await logged();
  expect(rows).toHaveLength(1);
  expect(rows).toMatchObject([{ tool: "create-todo preview", outcome: "ok", before: null, after: null }]);
});
