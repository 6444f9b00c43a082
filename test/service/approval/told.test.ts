import { afterAll, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { openApprovals } from "./people.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await useStack({ travels: true });
const { page, someone } = await openApprovals(stack);
let secret = "";
const receiver = startReceiver(() => secret);

test("a person is told once in five minutes, however much agents ask, and not of what is decided", async () => {
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
}, 30_000);

test("nobody is told who has chosen no channel", async () => {
  stack.clock.now = undefined;
  const { rest, rows } = await someone({ ask_above: 0 });
  expect((await rest("POST", "/todos", { title: "a" })).status).toBe(202);
  expect(await rows("select 1 from reminder_deliveries where user_id = $1")).toEqual([]);
});
