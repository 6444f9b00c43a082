import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { untilAnswered } from "../../support/chaos/writer.ts";
import { create } from "../../support/groups.ts";
import { newcomer } from "../../support/mcp.ts";
import { answering, type Receiver, startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const { rest, issuer, sql } = stack;
type Beginning = { events?: string[]; webhooks?: number; answer?: Receiver["behaviour"]["answer"] };
const rows = (text: string, sub: string) => sql.unsafe(text, [sub]);
const count = async (sub: string, condition: string): Promise<number> =>
  (await rows(`select 1 from webhook_deliveries where user_id = $1 and ${condition}`, sub)).length;
const everything = ["todo.*", "habit.*", "category.*", "reminder.due"];

/** A person with webhooks, each with a receiver of its own. */
async function begin({ events = everything, webhooks = 1, answer = () => new Response() }: Beginning = {}) {
  const { sub, rest: send } = await newcomer(stack);
  const begun = [];
  async function add() {
    let secret = "";
    const receiver = startReceiver(() => secret);
    receiver.behaviour.answer = answer;
    const made = await send("POST", "/webhooks", { url: receiver.url, events });
    expect(made.status).toBe(201);
    secret = made.body.secret;
    return { receiver, made, hook: `/webhooks/${made.body.id}` };
  }
  for (let n = 0; n < webhooks; n++) begun.push(await add());
  const [first] = begun;
  if (!first) throw new Error("no webhook");
  const operations = Array.from({ length: 50 }, () => create("Todo"));
  const addFifty = () => {
    const key = crypto.randomUUID();
    return untilAnswered(
      () => send("POST", "/batch", { operations }, key),
      ({ status }) => status === 200,
    );
  };
  const list = async () => (await send("GET", `${first.hook}/deliveries`)).body.data;
  return { ...first, receivers: begun.map(({ receiver }) => receiver), add, sub, send, list, addFifty };
}

const typesOf = ({ received }: { received: readonly { event: { type: string } }[] }) =>
  received.map(({ event }) => event.type);

test("changes of the person are posted as GET /changes shows them, signed, and never those of others", async () => {
  const { receiver, send } = await begin();
  await (await newcomer(stack)).rest("POST", "/todos", { title: "Hers" });
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
  const { receiver, send, hook, list } = await begin({ events: ["todo.*"], answer: answering(500) });
  await send("POST", "/todos", { title: "First" });
  const delivery = async () => (await list())[0];
  await eventually(async () => (await delivery())?.error === "The webhook answered 500.");
  const isFailing = async () => (await send("GET", hook)).body.failing_since !== null;
  await eventually(isFailing);
  const [first] = receiver.received;
  receiver.behaviour.answer = answering(200);
  await eventually(async () => (await delivery()).status === "delivered");
  expect(receiver.received[1]?.id).toBe(first?.id ?? "");
  await eventually(async () => !(await isFailing()));

  expect((await send("PATCH", hook, { is_active: false })).body.is_active).toBe(false);
  await send("POST", "/todos", { title: "Second" });
  await send("PATCH", hook, { is_active: true });
  await eventually(() => receiver.received.length === 3);
  expect(receiver.received[2]?.event.data.resource.title).toBe("Second");
}, 30_000);

test("a webhook made beside another, or left by a process that died, gets the next change without a notice", async () => {
  const { receiver, send, sub, add } = await begin({ events: ["todo.*"] });
  await send("POST", "/todos", { title: "Before" });
  await eventually(() => receiver.received.length === 1);
  const second = await add();
  await send("POST", "/todos", { title: "After" });
  // All webhooks are looked at every 30 s anyway.
  await eventually(() => second.receiver.received.length === 1, 15_000);
  const leave = "update webhooks set leased_until = now() + interval '3 seconds', held_until = now()";
  await rows(`${leave} where user_id = $1`, sub);
  await send("POST", "/todos", { title: "Last" });
  const newest = () => second.receiver.received.at(-1)?.event.data.resource.title;
  await eventually(() => newest() === "Last", 15_000);
});

test("a finished delivery can be sent again, with the present state of its thing", async () => {
  const { receiver, send, hook, list } = await begin({ events: ["todo.*"] });
  const { id } = (await send("POST", "/todos", { title: "Before" })).body;
  await eventually(async () => (await list())[0]?.status === "delivered");
  const [delivery] = await list();
  const again = await send("POST", `${hook}/deliveries/${delivery.id}/send-again`);
  expect([again.status, again.body.status]).toEqual([200, "waiting"]);
  await eventually(() => receiver.received.length === 2);
  expect(receiver.received[1]).toMatchObject({ id: delivery.id, event: { data: { id } } });
  await eventually(async () => (await list())[0].status === "delivered");
  const stranger = await newcomer(stack);
  expect((await stranger.rest("POST", `${hook}/deliveries/${delivery.id}/send-again`)).status).toBe(404);
});

test("a reminder that is due is posted", async () => {
  const { receiver, send, sub } = await begin({ events: ["reminder.due"] });
  const { id } = (await send("POST", "/todos", { title: "Call" })).body;
  const remind_at = new Date(Date.now() + 60_000).toISOString();
  await send("PUT", `/todos/${id}/reminder`, { remind_at });
  await rows("update reminders set remind_at = now() - interval '1 minute' where user_id = $1", sub);
  await eventually(() => receiver.received.length > 0);
  expect(receiver.received[0]?.event).toMatchObject({
    type: "reminder.due",
    data: { id, resource: { title: "Call" } },
  });
});

test("events need the scopes to read their things, an account has five webhooks, and no answer but the first has the secret", async () => {
  const { send, made, hook, sub } = await begin({ events: ["todo.*"] });
  const narrow = await issuer.token({ sub, scope: "webhooks:write todos:read" });
  const url = "https://example.org/hook";
  const make = (events: string[], address = url) =>
    rest("POST", "/webhooks", { token: narrow, body: { url: address, events } });
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
  const log = await rows("select l::text from action_log l where user_id = $1", sub);
  expect(JSON.stringify(log)).not.toContain(made.body.secret);
  expect((await send("DELETE", hook)).status).toBe(204);
  expect((await send("GET", hook)).status).toBe(404);
  expect((await make(["todo.*"], "http://10.0.0.1/x")).status).toBe(422);
});

test("a repeat of the request that made a webhook gets the same answer without the secret, which no stored reply has", async () => {
  const { sub, rest: send } = await newcomer(stack);
  const make = () =>
    send("POST", "/webhooks", { url: "https://example.org/hook", events: ["todo.*"] }, "one");
  const [first, again] = [await make(), await make()];
  expect(first.body.secret).toStartWith("whsec_");
  expect([again.status, again.body]).toEqual([201, { ...first.body, secret: null }]);
  const stored = await rows("select reply from inbox where user_id = $1", sub);
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain("whsec_");
});

/** Only time is faked: a receiver that failed is asked again at once. */
const hurry = "update webhooks set held_until = now() where user_id = $1 and failing_since is not null";
const failed =
  "update webhooks set failing_since = now() - interval '4 days', leased_until = held_until + interval '1 us' where user_id = $1";

test.each([
  [500, "for three days", failed],
  [410, "by wanting no more", "select $1::text"],
])(
  "a receiver that answers %i %s is switched off, and its person is told by the channel of reminders",
  async (status, _, before) => {
    const { send, hook, sub } = await begin({ events: ["todo.*"], answer: answering(status) });
    await rows(before, sub);
    // A look that finds nothing to post makes no pause longer.
    const isLeft = "select from webhooks where user_id = $1 and leased_until > held_until";
    await eventually(async () => (await rows(isLeft, sub)).length === 0);
    await send("POST", "/todos", { title: "Unheard" });
    await eventually(async () => (await send("GET", hook)).body.disabled_at !== null);
    expect((await send("GET", hook)).body.is_active).toBe(false);
    const told = await rows("select about from reminder_deliveries where user_id = $1", sub);
    expect(told).toEqual([{ about: "webhooks" }]);
  },
);

test("Retry-After holds all that a receiver would get", async () => {
  const { receiver, send, sub } = await begin({ events: ["todo.*"] });
  receiver.behaviour.answer = () => new Response(null, { status: 429, headers: { "retry-after": "40" } });
  await send("POST", "/todos", { title: "First" });
  const held = "select held_until - now() > interval '30 seconds' as held from webhooks where user_id = $1";
  await eventually(async () => (await rows(held, sub))[0].held);
  await send("POST", "/todos", { title: "Second" });
  receiver.behaviour.answer = () => new Response();
  await eventually(() => rows(hurry, sub).then(() => receiver.received.length === 3));
  expect(receiver.received.map(({ event }) => event.data.resource.title)).toEqual([
    "First",
    "First",
    "Second",
  ]);
});

test("a receiver is told to forget what it has when the log before a restore is another one, and then gets all", async () => {
  const { receiver, send, sub } = await begin({ events: ["todo.*"] });
  for (const title of ["One", "Two"]) await send("POST", "/todos", { title });
  await eventually(() => receiver.received.length >= 2);
  // A restore begins another timeline, and a dump loses the cursors.
  await rows("update webhooks set cursor = '0.0.0.0.0.0' where user_id = $1", sub);
  await send("POST", "/todos", { title: "Three" });
  await eventually(() => receiver.received.length >= 6);
  expect(typesOf(receiver).slice(2)).toEqual(["changes.restarted", ...Array(3).fill("todo.changed")]);
});

test("a token gets by a webhook only what it may read, and sees no address that another chose", async () => {
  const { receiver, send, made, hook, sub, list } = await begin({ events: ["todo.*"] });
  await send("POST", "/todos", { title: "Private" });
  await eventually(async () => (await list())[0]?.status === "delivered");
  const [{ id }] = await list();
  receiver.behaviour.answer = answering(500);
  await send("POST", "/todos", { title: "Private and waiting" });
  await eventually(async () => (await count(sub, "status = 'waiting'")) === 1);
  const weak = await issuer.token({ sub, scope: "webhooks:write categories:read" });
  const act = (method: string, path: string, body?: object) =>
    rest(method, path, { token: weak, ...(body && { body }) });
  expect((await act("GET", hook)).body.url).toBe(`${new URL(receiver.url).origin}/…`);
  expect((await act("PATCH", hook, { is_active: false })).body.url).not.toContain("hook");
  expect((await act("PATCH", hook, { is_active: true })).status).toBe(409);
  expect((await send("PATCH", hook, { is_active: true })).body.is_active).toBe(true);
  expect((await act("GET", `${hook}/deliveries`)).body.data).toEqual([]);
  const thief = startReceiver(() => made.body.secret);
  expect((await act("PATCH", hook, { url: thief.url, events: ["category.*"] })).status).toBe(200);
  expect(await count(sub, "status = 'waiting'")).toBe(0);
  expect((await act("POST", `${hook}/deliveries/${id}/send-again`)).status).toBe(409);
  await send("POST", "/todos", { title: "Private too" });
  await send("POST", "/categories", { name: "Allowed" });
  await eventually(() => thief.received.length > 0);
  expect(typesOf(thief)).toEqual(["category.changed"]);
});

test("a receiver that was away gets every change in order when it is back, and few wait in rows meanwhile", async () => {
  let isAway = true;
  const { receiver, sub, addFifty } = await begin({
    events: ["todo.*"],
    answer: () => new Response(null, { status: isAway ? 500 : 200 }),
  });
  for (let n = 0; n < 24; n++) await addFifty();
  await eventually(async () => (await count(sub, "finished_at is null")) > 0);
  expect(await count(sub, "true")).toBeLessThan(10);
  isAway = false;
  const received = () => new Set(receiver.received.map(({ event }) => event.data.id)).size;
  await eventually(() => rows(hurry, sub).then(() => received() === 1_200), 60_000);
}, 90_000);

test("one account's receivers that never answer take few turns, and another's deliveries arrive beside them", async () => {
  const stalled = await begin({ events: ["todo.*"], webhooks: 5, answer: () => new Promise(() => {}) });
  const quick = await begin({ events: ["todo.*"] });
  for (let n = 0; n < 4; n++) await stalled.addFifty();
  await eventually(() => stalled.receivers.every(({ received }) => received.length >= 8), 20_000);
  await quick.addFifty();
  await eventually(() => quick.receiver.received.length >= 50, 30_000);
  expect(stalled.receivers.every(({ received }) => received.length <= 9)).toBe(true);
}, 60_000);
