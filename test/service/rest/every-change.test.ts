import { afterAll, expect, test } from "bun:test";
import { commands } from "../../../shared/contracts/catalogue.ts";
import { useStack } from "../../harness.ts";
import { bringUpToDate, expectEqual, newCopy } from "../../support/copies/copy.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { byDatabase, runEveryCommand } from "../plans/every-command.ts";

const stack = await useStack();
const { rest, sub } = stack;
const { pool, dispatch } = await stack.page();
const webhook = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(null, { status: 204 }),
});
afterAll(() => webhook.stop(true));

const by = { door: "rest", tokenId: "token", clientName: null } as const;
const actions = async () => {
  const { rows } = await pool.query(
    `select called_at, request_id from action_log
     where user_id = $1 and undone_by is null and (before is not null or after is not null)
     order by called_at desc, request_id desc limit 100`,
    [sub],
  );
  return rows;
};

const get = (path: string) => rest("GET", path);

test("after every command a copy is what the lists show, and so it is when a reminder was sent", async () => {
  const copy = newCopy();
  const ran = new Set<string>();
  await bringUpToDate(get, copy);
  await runEveryCommand(
    async (name, input, { key } = {}) => {
      const { outcome } = await dispatch(
        { userId: sub },
        { name, input, idempotencyKey: key, by: { ...by, requestId: Bun.randomUUIDv7() } },
      );
      if ("refusal" in outcome) throw new Error(`${name}: ${outcome.refusal.message}`);
      ran.add(name);
      await expectEqual(get, copy).catch((error: Error) => {
        throw new Error(`after ${name}: ${error.message}`);
      });
      return outcome.body;
    },
    {
      webhookUrl: webhook.url.href,
      dueAt: Date.parse("2099-01-01"),
      actions,
      ...byDatabase(pool, sub),
    },
  );
  expect(
    Object.keys(commands)
      .filter((name) => !ran.has(name))
      .sort(),
  ).toEqual(["batch.run", "user.delete"]);
  // It must not come earlier: a sent reminder shows its todo again, and would hide a missed change.
  const soon = { remind_at: new Date(Date.now() + 300).toISOString() };
  const todo = [...copy.resources.keys()].find((name) => name.startsWith("todo"))?.slice(5);
  expect((await rest("PUT", `/todos/${todo}/reminder`, { body: soon })).status).toBe(200);
  const operations = [
    { method: "POST", path: "/todos", body: { title: "Sweep" } },
    { method: "PATCH", path: "/todos/$0.id", body: { title: "Sweep well" } },
    { method: "DELETE", path: "/todos/$0.id" },
    { method: "POST", path: "/todos", body: { title: "Dust" } },
  ];
  expect((await rest("POST", "/batch", { body: { operations, atomic: true } })).status).toBe(200);
  await expectEqual(get, copy);
  const isSent = () =>
    [...copy.resources.values()].some(
      (resource) => "reminder" in resource && resource.reminder?.status === "sent",
    );
  await eventually(async () => {
    await bringUpToDate(get, copy);
    return isSent();
  });
  await expectEqual(get, copy);
  expect(copy.timesBegun).toBe(1);
});
