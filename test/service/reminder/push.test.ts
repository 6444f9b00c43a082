import { afterAll, expect, test } from "bun:test";
import pino from "pino";
import { validate } from "../../../api/http/input.ts";
import { subscribePush } from "../../../shared/contracts/reminder/contracts.ts";
import { mostBrowsers } from "../../../shared/domain/reminder/channels.ts";
import { startPushService } from "../../support/reminder/push-service.ts";
import { eventually, startReminders } from "../../support/reminder/stack.ts";

// The service trusts no certificate that a test makes; Bun reads this at each connection.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
afterAll(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
const service = await startPushService();
const lines: string[] = [];
const log = pino({ level: "debug" }, { write: (line: string) => lines.push(line) });
const stack = await startReminders({ log });
const { rest, clock, createTodo, remind, statusBecomes, deliveriesOf, travelTo, tick, send, rows } = stack;
const settings = () => send("user.settings");
const subscribe = ({ endpoint, p256dh, auth } = service.newBrowser(), browser = "Firefox on Linux") =>
  send("push.subscribe", { endpoint, p256dh, auth, browser });
const reach = async () => (await rest("GET", "/me")).body.reminders_reach;

async function remindNow(title: string): Promise<number> {
  const todo = await createTodo({ title });
  await remind(todo, new Date().toISOString());
  return todo;
}

test("the first browser takes reminders, and the last one that is gone leaves them with nobody", async () => {
  expect(await reach()).toBe("nobody");
  const [one, other] = [service.newBrowser(), service.newBrowser()];
  await subscribe(one);
  await subscribe(other, "Chrome on Android");
  expect(await subscribe(one)).toEqual({ id: (await settings()).browsers[0].id });
  const names = async () => (await settings()).browsers.map(({ browser }: { browser: string }) => browser);
  expect([await names(), await reach()]).toEqual([["Firefox on Linux", "Chrome on Android"], "push"]);
  await statusBecomes(await remindNow("Call Grace"), "sent");
  for (const browser of [one, other]) expect(browser.shown()).toMatchObject([{ title: "Call Grace" }]);

  service.behaviour.status = (path) => (one.endpoint.endsWith(path) ? 410 : 201);
  await statusBecomes(await remindNow("Water the plants"), "sent");
  expect(await names()).toEqual(["Chrome on Android"]);
  service.behaviour.status = () => 404;
  const todo = await remindNow("Pay rent");
  await statusBecomes(todo, "failed");
  expect((await deliveriesOf(todo))[0].error).toContain("add this one again");
  expect([await names(), await reach()]).toEqual([[], "nobody"]);
  service.behaviour.status = () => 201;
});

test("a test goes to every browser, and removing the last one ends the choice", async () => {
  const browser = service.newBrowser();
  expect((await send("webhook.test", { channel: "push" })).code).toBe("conflict");
  const { id } = await subscribe(browser);
  await send("webhook.test", { channel: "push" });
  await eventually(async () => (await settings()).test?.status === "sent");
  expect((await settings()).test.channel).toBe("push");
  expect(browser.shown()).toMatchObject([{ title: "A test of your reminders", actions: [] }]);
  await send("push.unsubscribe", { id });
  expect([(await settings()).browsers, await reach()]).toEqual([[], "nobody"]);
  const refused = await send("user.configure", { reminder_channel: "push" });
  expect(refused.errors).toHaveProperty("reminder_channel");
});

test("the line that every page suggests rings on Sunday; Done ticks it off, and the next one has its reminder", async () => {
  travelTo("2026-11-25T09:00:00Z");
  const browser = service.newBrowser();
  const { id: subscription } = await subscribe(browser);
  const words = new URLSearchParams({ line: "Call Mum every Sunday at 18:00" });
  const said = (await rest("GET", `/quick-add?${words}`)).body;
  const { id } = (await rest("POST", "/todos", { body: said.todo })).body;
  const { body: reminder } = await remind(id, said.remind_at);
  expect(reminder).toMatchObject({ local_time: "2026-11-29T18:00:00", reaches: "push" });

  travelTo("2026-11-29T18:00:01Z");
  await tick();
  const [shown] = await eventually(() => browser.shown().length > 0 && browser.shown());
  expect(shown).toMatchObject({ title: "Call Mum", body: expect.stringMatching(/^Due .+ at 18:00$/m) });
  await statusBecomes(id, "sent");
  const done = shown.actions.find(({ action }: { action: string }) => action === "done").url;
  expect((await fetch(done, { method: "POST" })).status).toBe(200);
  const { data } = (await rest("GET", "/todos?q=mum")).body;
  const scheduled = { local_time: "2026-12-06T18:00:00", status: "scheduled" };
  expect(data).toMatchObject([{ due_date: "2026-12-06", due_time: "18:00", reminder: scheduled }]);
  await send("push.unsubscribe", { id: subscription });
  clock.now = undefined;
});

test("an account has a bounded number of browsers", async () => {
  for (let n = 0; n < mostBrowsers; n++) await subscribe();
  expect(await subscribe()).toMatchObject({ code: "conflict" });
  expect((await settings()).browsers).toHaveLength(mostBrowsers);
});

test("a subscription that is none is refused", () => {
  const { endpoint, p256dh, auth } = service.newBrowser();
  const good = { endpoint, p256dh, auth, browser: "Firefox" };
  const wrong = [
    { endpoint: "http://push.example/x" },
    { endpoint: "https://10.0.0.1/x" },
    { endpoint: "https://a:b@push.example/x" },
    { p256dh: p256dh.slice(1) },
    { p256dh: `B${"A".repeat(86)}` },
    { auth: "short" },
  ];
  expect(validate(subscribePush, good)).not.toHaveProperty("refusal");
  for (const fields of wrong)
    expect(validate(subscribePush, { ...good, ...fields })).toHaveProperty("refusal");
});

test("no log has the private keys, an endpoint or a link", async () => {
  const stored = await rows("select name, value from identity.secrets");
  const secrets = Object.fromEntries(stored.map(({ name, value }) => [name, value]));
  const kept = [secrets.push.privateKey, secrets["reminder-links"][0]];
  expect(kept.map((text: string) => text.length)).toEqual([43, 43]);
  const link = `${stack.config.baseUrl}/remind/a-secret`;
  await fetch(link);
  const all = lines.join("");
  for (const secret of [...kept, "a-secret", service.url]) expect(all).not.toContain(secret);
});

test("closing the account removes its browsers", async () => {
  await send("user.delete");
  expect(await rows("select 1 from push_subscriptions")).toEqual([]);
});
