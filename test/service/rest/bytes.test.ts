import { afterAll, expect, test } from "bun:test";
import { measureAccounts } from "../../../workers/unit-of-work/bytes/measure.ts";
import { startStack } from "../../harness.ts";
import { longText } from "../../support/long-text.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { accountBytes, storedBytes } from "../../support/stored-bytes.ts";
import { openUndoDoor, whole } from "../../support/undo-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
/** An account keeps 4 MB, and grows by 0.4 MB in an hour beyond what it sends. */
const stack = await startStack({ env: { ACCOUNT_MEGABYTES: "4" }, workers: 2 });
const { page, someone } = await openUndoDoor(stack);
const measure = () => measureAccounts(page.database, stack.config.actionLogDays);

const sentBytes = (args: object): number => Buffer.byteLength(JSON.stringify(args)) + 500;

test("a flood of allowed calls stores four bytes for each one sent and a fair allowance, and is then refused", async () => {
  const [{ agent, sub, rest, undo, changes }, stranger] = [await someone(), await someone()];
  const todo_ids: number[] = [];
  for (let n = 0; n < 25; n++) todo_ids.push((await rest("POST", "/todos", { title: `Todo ${n}` })).body.id);
  const before = await storedBytes(page.pool, sub);
  let [sent, refused] = [0, undefined as Awaited<ReturnType<typeof agent.call>> | undefined];
  for (let calls = 0; calls < 20 && !refused; calls++) {
    const args = { todo_ids, description: longText(1_000) };
    sent += sentBytes(args);
    const answer = await agent.call("update-todo", args);
    if (answer.isError) refused = answer;
  }
  expect(refused?.facts).toMatchObject({ code: "quota" });
  expect(refused?.text).toMatch(/^Your account stored too much in this hour; wait \d+ seconds/);
  expect((await storedBytes(page.pool, sub)) - before).toBeLessThan(4 * sent + 400_000);
  const created = await rest("POST", "/todos", { title: "One more" });
  expect([created.status, created.body.code]).toEqual([403, "quota"]);
  expect(Number(created.headers.get("retry-after"))).toBeGreaterThan(0);

  expect((await rest("GET", "/todos")).status).toBe(200);
  expect((await agent.call("get-pending-todos")).isError).toBe(false);
  expect((await rest("DELETE", `/todos/${todo_ids[0]}`)).status).toBe(204);
  expect(await undo((await changes()).slice(0, 1))).toEqual(whole(1));
  expect((await stranger.rest("POST", "/todos", { title: "Mine" })).status).toBe(201);
});

test("a full account takes nothing more until things are deleted and forgotten", async () => {
  const { sub, rest } = await someone();
  const create = () => rest("POST", "/todos", { title: "Long", description: longText(5_000) });
  const ids: number[] = [];
  let last = await create();
  for (; last.status === 201; last = await create()) ids.push(last.body.id);
  expect(last.body).toMatchObject({
    code: "quota",
    message: expect.stringContaining("Your account keeps 4 MB, the most that it may; delete"),
  });
  expect(ids.length).toBeGreaterThan(50);
  expect(ids.length).toBeLessThan(110);
  const keyed = () => rest("POST", "/todos", { title: "Later" }, "later");
  expect((await keyed()).status).toBe(403);
  for (const id of ids.slice(0, 10)) {
    expect((await rest("DELETE", `/todos/${id}`)).status).toBe(204);
    await page.send(sub, "action.forget", { kind: "todo", id });
  }
  await measure();
  await eventually(async () => (await keyed()).status === 201);
});

test("the ledger is what the tables have, but for what a worker has gathered", async () => {
  const { agent, sub, rest, changes, undo } = await someone();
  const { id } = (await rest("POST", "/habits", { name: "Read", type: "positive", frequency: "daily" })).body;
  await rest("POST", `/habits/${id}/complete`);
  for (let n = 0; n < 30; n++)
    await agent.call("create-todo", { title: `Todo ${n}`, description: longText(500) });
  await undo((await changes()).slice(0, 20));
  const [kept, stored] = [await accountBytes(page.pool, sub), await storedBytes(page.pool, sub)];
  expect(Math.abs(kept - stored)).toBeLessThan(2 * 16_384);
  await page.pool.query(
    "insert into byte_ledger (user_id, kind, expires_at, bytes) values ($1, 'things', now(), 123456789)",
    [sub],
  );
  await measure();
  expect(Math.abs((await accountBytes(page.pool, sub)) - stored)).toBeLessThan(500);
});
