import { expect, test } from "bun:test";
import type { Pool } from "pg";
import type { Database } from "../../../shared/db/orm.ts";
import { countKeptBytes } from "../../../shared/doctor/kept-bytes.ts";
import { countAccounts, countSoon } from "../../../workers/upkeep/account-bytes.ts";
import { startStack } from "../../harness.ts";
import { longText } from "../../support/long-text.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { wordsIn } from "../../support/text-table.ts";
import { useUndoDoor, whole } from "../../support/undo-door.ts";

type Store = Pick<Pool, "query">;

const authors = ["created_by", "changed_by", "written_by"] as const;

const tables = {
  users: [],
  categories: ["name", "color", ...authors],
  habits: ["name", "description", "type", "frequency", "repeat('x', 600)", ...authors],
  habit_completions: [],
  habit_amounts: [],
  todos: ["title", "context", "description", "recurrence", ...authors],
  reminders: ["status"],
  deletions: [],
  action_log: wordsIn(`
  door token_id client_name tool arguments outcome message resource_name before after`),
  action_images: ["before", "after"],
};

/**
 * A user's rows and history in bytes, counted by hand: each row counts 200 bytes with its owner's name, and its
 * texts. A habit has two lists.
 */
async function storedBytes(store: Store, sub: string): Promise<number> {
  let bytes = 0;
  for (const [table, columns] of Object.entries(tables)) {
    const texts = ["user_id", ...columns].map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ");
    const { rows } = await store.query(
      `select coalesce(sum(200 + ${texts}), 0)::float8 as bytes from ${table} where user_id = $1`,
      [sub],
    );
    bytes += rows[0].bytes;
  }
  return bytes;
}

/** The same, as workers count it once they have taken the account up. */
async function countedBytes(database: Database, sub: string): Promise<number> {
  const isKnown = "select from account_bytes where user_id = $1";
  await eventually(async () => (await database.pool.query(isKnown, [sub])).rows.length > 0);
  await countAccounts(database, [sub]);
  const { rows } = await database.pool.query(
    "select kept::float8 as bytes from account_bytes where user_id = $1",
    [sub],
  );
  return rows[0].bytes;
}

const stack = await startStack({ env: { ACCOUNT_MEGABYTES: "2", SENT_MEGABYTES_PER_HOUR: "1" } });
const { page, someone } = await useUndoDoor(stack);

test("an account sends so many bytes in an hour, and then deletes and reads only", async () => {
  const [{ agent, rest }, stranger] = [await someone(), await someone()];
  const { id } = (await rest("POST", "/todos", { title: "Long" })).body;
  const change = () => rest("PATCH", `/todos/${id}`, { description: longText(5_000) });
  let answer = await change();
  let sent = 0;
  for (; answer.status === 200; answer = await change()) sent += 20_000;
  expect(sent).toBeGreaterThan(900_000);
  expect(sent).toBeLessThan(1_000_000);
  expect(answer.status).toBe(429);
  expect(answer.body.message).toMatch(/^Your account sent too much in this hour; wait \d+ seconds/);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect((await rest("GET", "/todos")).status).toBe(200);
  expect((await agent.call("get-pending-todos")).isError).toBe(false);
  expect((await rest("DELETE", `/todos/${id}`)).status).toBe(204);
  expect((await stranger.rest("POST", "/todos", { title: "Mine" })).status).toBe(201);
});

test("a flood of calls that store much more than they send is refused", async () => {
  const { agent, rest, undo, changes } = await someone();
  const todo_ids: number[] = [];
  for (let n = 0; n < 25; n++)
    todo_ids.push(
      (await rest("POST", "/todos", { title: `Todo ${n}`, description: longText(5_000) })).body.id,
    );
  const update = (turn: number) => agent.call("update-todo", { todo_ids, context: `Turn ${turn}` });
  let answer = await update(0);
  for (let turn = 1; turn < 30 && !answer.isError; turn++) answer = await update(turn);
  expect(answer.facts).toMatchObject({ code: "quota" });
  expect(answer.text).toMatch(/^Your account stored too much in this hour; wait \d+ seconds/);
  const created = await rest("POST", "/todos", { title: "One more" });
  expect([created.status, created.body.code]).toEqual([403, "quota"]);
  expect(Number(created.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await agent.call("get-pending-todos")).isError).toBe(false);
  expect((await rest("DELETE", `/todos/${todo_ids[0]}`)).status).toBe(204);
  expect(await undo((await changes()).slice(0, 1))).toEqual(whole(1));
});

test("a full account takes nothing more until things are deleted and forgotten", async () => {
  const { sub, rest } = await someone();
  const ids: number[] = [];
  for (let n = 0; n < 49; n++)
    ids.push((await rest("POST", "/todos", { title: "Long", description: longText(5_000) })).body.id);
  await countSoon(page.pool, sub);
  // Not often, because each try counts for what an account may send in an hour.
  const keyed = () => Bun.sleep(500).then(() => rest("POST", "/todos", { title: "Later" }, "later"));
  const refused = await eventually(async () => {
    await Bun.sleep(500);
    const answer = await rest("POST", "/todos", { title: "One more" });
    return answer.status === 403 && answer;
  });
  expect(refused.body).toMatchObject({
    code: "quota",
    message: expect.stringContaining("Your account keeps 2 MB, the most that it may; delete"),
  });
  expect((await keyed()).status).toBe(403);
  for (const id of ids.slice(0, 20)) {
    expect((await rest("DELETE", `/todos/${id}`)).status).toBe(204);
    await page.send(sub, "action.forget", { kind: "todo", id });
  }
  await eventually(async () => (await keyed()).status === 201);
});

test("what an account keeps is what the tables have", async () => {
  const { agent, sub, rest, changes, undo } = await someone();
  const { id } = (await rest("POST", "/habits", { name: "Read", type: "positive", frequency: "daily" })).body;
  await rest("POST", `/habits/${id}/complete`);
  for (let n = 0; n < 10; n++)
    await agent.call("create-todo", { title: `Todo ${n}`, description: longText(500) });
  await undo((await changes()).slice(0, 5));
  const counted = await countedBytes(page.database, sub);
  expect(Math.abs(counted - (await storedBytes(page.pool, sub)))).toBeLessThan(500);
  const all = await Promise.all([0, 200].map((most) => countKeptBytes(page.pool, most)));
  expect(all).toEqual(all.map(() => ({ bytes: expect.any(Number), near: 0 })));
});

test("a change of one field stores no long text of another again", async () => {
  const { rest } = await someone();
  const todo = { title: "Long", description: longText(5_000) };
  const { id } = (await rest("POST", "/todos", todo)).body;
  const place = async () => {
    const text = "select pg_column_toast_chunk_id(description)::text as place from todos where id = $1";
    return (await page.pool.query(text, [id])).rows[0].place;
  };
  const before = await place();
  expect(before).not.toBeNull();
  expect((await rest("PATCH", `/todos/${id}`, { is_important: true })).status).toBe(200);
  expect(await place()).toBe(before);
});
