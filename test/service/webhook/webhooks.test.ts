import { expect, test } from "bun:test";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { useStack } from "../../harness.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";

const { rest, issuer, config } = await useStack();
const database = await openDatabase({
  url: config.databaseUrl,
  log: createLog("test", "error"),
  connections: 1,
});

const everything = ["todo.*", "habit.*", "category.*", "reminder.due"];

async function begin(sub: string, events = everything) {
  const token = await issuer.token({ sub });
  let secret = "";
  const receiver = startReceiver(() => secret);
  const send = (method: string, path: string, body?: object) =>
    rest(method, path, { token, ...(body && { body }) });
  const made = await send("POST", "/webhooks", { url: receiver.url, events });
  expect(made.status).toBe(201);
  secret = made.body.secret;
  const hook = `/webhooks/${made.body.id}`;
  return { token, receiver, send, made, hook };
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("It does not come true.");
    await Bun.sleep(20);
  }
}

const typesOf = ({ received }: { received: readonly { event: { type: string } }[] }) =>
  received.map(({ event }) => event.type);

test("changes of the person are posted as GET /changes shows them, signed, and never those of others", async () => {
  const { receiver, send } = await begin("ada");
  await rest("POST", "/todos", { token: await issuer.token({ sub: "eve" }), body: { title: "Hers" } });
  const category_id = (await send("POST", "/categories", { name: "Home" })).body.id;
  const todo = (await send("POST", "/todos", { title: "Sweep", category_id })).body;
  const habit = (await send("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" })).body;
  await eventually(() => receiver.received.length >= 3);
  expect(typesOf(receiver).toSorted()).toEqual(["category.changed", "habit.changed", "todo.changed"]);
  const dataOf = (type: string) => receiver.received.findLast(({ event }) => event.type === type)?.event.data;
  const without = ({ written_by: _, ...resource }: { written_by: unknown }) => resource;
  const shown = async (path: string) => without((await send("GET", path)).body);
  expect(without(dataOf("todo.changed").resource)).toEqual(await shown(`/todos/${todo.id}`));
  expect(without(dataOf("habit.changed").resource)).toEqual(await shown(`/habits/${habit.id}`));
  await send("DELETE", `/todos/${todo.id}`);
  await eventually(() => typesOf(receiver).includes("todo.deleted"));
  expect(dataOf("todo.deleted")).toEqual({ type: "todo", id: todo.id, deleted: true, resource: null });
  expect(receiver.forged).toEqual([]);
});

test("what fails is posted again after a pause, and listed; what is off waits until it is on", async () => {
  const { receiver, send, hook } = await begin("bea", ["todo.*"]);
  receiver.behaviour.answer = () => new Response(null, { status: 500 });
  await send("POST", "/todos", { title: "First" });
  await eventually(
    async () =>
      (await send("GET", `${hook}/deliveries`)).body.data[0]?.error !== undefined &&
      receiver.received.length > 0,
  );
  await eventually(
    async () => (await send("GET", `${hook}/deliveries`)).body.data[0].error === "The webhook answered 500.",
  );
  const isFailing = async () => (await send("GET", hook)).body.failing_since !== null;
  await eventually(isFailing);
  const [first] = receiver.received;
  receiver.behaviour.answer = () => new Response(null, { status: 200 });
  await eventually(async () => (await send("GET", `${hook}/deliveries`)).body.data[0].status === "delivered");
  expect(receiver.received[1]?.id).toBe(first?.id ?? "");
  await eventually(async () => !(await isFailing()));

  expect((await send("PATCH", hook, { is_active: false })).body.is_active).toBe(false);
  await send("POST", "/todos", { title: "Second" });
  await send("PATCH", hook, { is_active: true });
  await eventually(() => receiver.received.length === 3);
  expect(receiver.received[2]?.event.data.resource.title).toBe("Second");
}, 30_000);

test("a finished delivery can be sent again, with the present state of its thing", async () => {
  const { receiver, send, hook } = await begin("cleo", ["todo.*"]);
  const { id } = (await send("POST", "/todos", { title: "Before" })).body;
  const list = async () => (await send("GET", `${hook}/deliveries`)).body.data;
  await eventually(async () => (await list())[0]?.status === "delivered");
  const [delivery] = await list();
  const again = await send("POST", `${hook}/deliveries/${delivery.id}/send-again`);
  expect([again.status, again.body.status]).toEqual([200, "waiting"]);
  await eventually(() => receiver.received.length === 2);
  expect(receiver.received[1]).toMatchObject({ id: delivery.id, event: { data: { id } } });
  await eventually(async () => (await list())[0].status === "delivered");
  const stranger = await issuer.token({ sub: "eve" });
  expect(
    (await rest("POST", `${hook}/deliveries/${delivery.id}/send-again`, { token: stranger })).status,
  ).toBe(404);
});

test("a reminder that is due is posted", async () => {
  const { receiver, send } = await begin("dora", ["reminder.due"]);
  const { id } = (await send("POST", "/todos", { title: "Call" })).body;
  const remind_at = new Date(Date.now() + 60_000).toISOString();
  await send("PUT", `/todos/${id}/reminder`, { remind_at });
  await database.pool.query(
    "update reminders set remind_at = now() - interval '1 minute' where user_id = 'dora'",
  );
  await eventually(() => receiver.received.length > 0);
  expect(receiver.received[0]?.event).toMatchObject({
    type: "reminder.due",
    data: { id, resource: { title: "Call" } },
  });
});

test("events need the scopes to read their things, an account has five webhooks, and no answer but the first has the secret", async () => {
  const { send, made, hook } = await begin("fay", ["todo.*"]);
  const narrow = await issuer.token({ sub: "fay", scope: "webhooks:write todos:read" });
  const url = "https://example.org/hook";
  const make = (events: string[]) => rest("POST", "/webhooks", { token: narrow, body: { url, events } });
  expect((await make(["habit.*"])).status).toBe(403);
  expect((await make(["todo.*"])).status).toBe(201);
  const widened = await rest("PATCH", hook, { token: narrow, body: { events: ["todo.*", "category.*"] } });
  expect(widened.status).toBe(403);
  // Without events, an address of one's own would get what another token chose.
  expect((await rest("PATCH", hook, { token: narrow, body: { url } })).status).toBe(422);
  for (let n = 0; n < 3; n++) expect((await make(["todo.*"])).status).toBe(201);
  expect((await make(["todo.*"])).status).toBe(409);
  expect((await send("GET", "/webhooks")).body.data.length).toBe(5);
  expect(JSON.stringify((await send("GET", "/webhooks")).body)).not.toContain("whsec");
  const log = await database.pool.query("select l::text as row from action_log l where user_id = 'fay'");
  expect(log.rows.map(({ row }) => row).join()).not.toContain(made.body.secret);
  expect((await send("DELETE", hook)).status).toBe(204);
  expect((await send("GET", hook)).status).toBe(404);
  expect(
    (
      await rest("POST", "/webhooks", {
        token: narrow,
        body: { url: "http://10.0.0.1/x", events: ["todo.*"] },
      })
    ).status,
  ).toBe(422);
});

test("a repeat of the request that made a webhook gets the same answer without the secret, which no stored reply has", async () => {
  const token = await issuer.token({ sub: "hal" });
  const body = { url: "https://example.org/hook", events: ["todo.*"] };
  const make = () => rest("POST", "/webhooks", { token, body, headers: { "idempotency-key": "one" } });
  const [first, again] = [await make(), await make()];
  expect(first.body.secret).toStartWith("whsec_");
  expect([again.status, again.body]).toEqual([201, { ...first.body, secret: null }]);
  const stored = await database.pool.query("select reply from inbox where user_id = 'hal'");
  expect(stored.rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored.rows)).not.toContain("whsec_");
});

test("a webhook that fails for three days is switched off, and its person is told by the channel of reminders", async () => {
  const { receiver, send, hook } = await begin("gil", ["todo.*"]);
  receiver.behaviour.answer = () => new Response(null, { status: 500 });
  await database.pool.query(
    "update webhooks set failing_since = now() - interval '4 days' where user_id = 'gil'",
  );
  await send("POST", "/todos", { title: "Unheard" });
  await eventually(async () => (await send("GET", hook)).body.disabled_at !== null);
  expect((await send("GET", hook)).body.is_active).toBe(false);
  const told = await database.pool.query("select about from reminder_deliveries where user_id = 'gil'");
  expect(told.rows).toEqual([{ about: "webhooks" }]);
  await database.close();
});
