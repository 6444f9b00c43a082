import { expect, test } from "bun:test";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { feedUser } from "../../../workers/webhook/feed.ts";
import { useStack } from "../../harness.ts";
import { type Receiver, startReceiver } from "../../support/reminder/receiver.ts";
import { eventually, query } from "../../support/reminder/stack.ts";

const { rest, issuer, config } = await useStack();
const { databaseUrl } = config;

async function begin(sub: string, webhooks: number, answer: Receiver["behaviour"]["answer"]) {
  const token = await issuer.token({ sub });
  const send = (method: string, path: string, body: object) => rest(method, path, { token, body });
  const receivers = [];
  for (let n = 0; n < webhooks; n++) {
    let secret = "";
    const receiver = startReceiver(() => secret);
    receiver.behaviour.answer = answer;
    const made = await send("POST", "/webhooks", { url: receiver.url, events: ["todo.*"] });
    secret = made.body.secret;
    receivers.push(receiver);
  }
  const operations = Array.from({ length: 50 }, () => ({
    method: "POST",
    path: "/todos",
    body: { title: "Todo" },
  }));
  const addFifty = () => send("POST", "/batch", { operations });
  return { receivers, addFifty };
}

async function count(sub: string, condition: string): Promise<number> {
  const counting = `select count(*)::int as count from webhook_deliveries where user_id = $1 and ${condition}`;
  const [{ count: found }] = await query(databaseUrl, counting, [sub]);
  return found;
}

/** Only time is faked: failed attempts are made again at once. */
const hurry = `
  update webhook_deliveries set next_attempt_at = now()
  where finished_at is null and status = 'waiting' and attempts > 0 and next_attempt_at > now()`;

test("a webhook whose receiver is away has few deliveries that wait, and gets all the others from the log when it is back", async () => {
  let isAway = true;
  const { receivers, addFifty } = await begin("ada", 1, () =>
    isAway ? new Response(null, { status: 500 }) : new Response(),
  );
  for (let n = 0; n < 20; n++) expect((await addFifty()).status).toBe(200);
  await eventually(async () => (await count("ada", "finished_at is null")) >= 500, 20_000);
  const database = await openDatabase({ url: databaseUrl, log: createLog("test", "error"), connections: 1 });
  while ((await feedUser({ database, travel: "0" }, "ada")).isMore);
  await database.close();
  expect(await count("ada", "true")).toBeLessThan(700);
  isAway = false;
  const received = () => new Set(receivers[0]?.received.map(({ event }) => event.data.id)).size;
  await eventually(async () => {
    await query(databaseUrl, hurry);
    return received() === 1_000;
  }, 60_000);
}, 90_000);

test("one account's receivers that never answer take few turns, and another's deliveries arrive beside them", async () => {
  const stalled = await begin("bea", 5, () => new Promise(() => {}));
  const quick = await begin("cleo", 1, () => new Response());
  for (let n = 0; n < 4; n++) await stalled.addFifty();
  await eventually(() => stalled.receivers.every(({ received }) => received.length >= 8), 20_000);
  await quick.addFifty();
  await eventually(() => (quick.receivers[0]?.received.length ?? 0) >= 50, 30_000);
  expect(await count("bea", "status = 'sending'")).toBeLessThan(100);
  expect(await count("bea", "status = 'waiting'")).toBeGreaterThan(500);
}, 60_000);
