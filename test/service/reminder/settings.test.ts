import { beforeEach, expect, test } from "bun:test";
import { validate } from "../../../api/http/input.ts";
import { changeSettings } from "../../../shared/contracts/user/contracts.ts";
import { perTarget } from "../../../shared/domain/reminder/channels.ts";
import { agent } from "../../support/mcp.ts";
import { headersOf, useMailbox } from "../../support/reminder/mailbox.ts";
import { answering, startReceiver } from "../../support/reminder/receiver.ts";
import { eventually, startReminders } from "../../support/reminder/stack.ts";

const mailbox = await useMailbox();
const stack = await startReminders({ env: { SMTP_URL: mailbox.url } });
const { rest, config, travelTo, createTodo, remind, statusBecomes, deliveriesOf } = stack;
const { tick, send, configure } = stack;
let secret = "";
const receiver = startReceiver(() => secret);

const settings = () => send("user.settings");
const settingsAddress = `${config.baseUrl}/account/settings`;

/** Presses the test button when the test before it is no longer recent. */
function testWebhook() {
  stack.clock.now = (stack.clock.now ?? 0) + 10_000;
  return send("webhook.test");
}

async function useWebhook(): Promise<void> {
  await configure({ webhook_url: null, reminder_channel: "log" });
  secret = (await configure({ reminder_channel: "webhook", webhook_url: receiver.url })).webhook_secret;
}

async function remindNow(title = "Water the plants"): Promise<number> {
  const todo = await createTodo({ title });
  await remind(todo, new Date(stack.clock.now ?? 0).toISOString());
  return todo;
}

beforeEach(() => {
  travelTo("2026-11-21T08:00:00Z");
  receiver.behaviour.answer = answering(204);
});

test("a user who chose nothing has the log, and settings say so", async () => {
  const { locale, theme, week_start, test, browsers, ...others } = await settings();
  expect([theme, week_start]).toEqual(["system", "language"]);
  expect({ locale, test, browsers }).toEqual({ locale: null, test: null, browsers: [] });
  expect(others).toEqual({
    ...{ time_zone: "UTC", day_start_hour: 0, reminder_channel: "log", digest: "never" },
    ...perTarget(() => null),
    ...{ webhook_secret: null, webhook_failures: 0, webhook_disabled_at: null },
  });
});

test("until a channel is chosen, each answer with a reminder says that it reaches nobody, and nothing is sent", async () => {
  const reached = async () => (await rest("GET", "/me")).body.reminders_reach;
  const { call } = await agent(stack);
  const todo = await createTodo();
  const nobody = { reaches: "nobody", choose_channel_at: settingsAddress };
  expect((await remind(todo, "2026-11-21T08:00:00Z")).body).toMatchObject(nobody);
  expect((await rest("GET", `/todos/${todo}/reminder`)).body.reaches).toBe("nobody");
  expect(await reached()).toBe("nobody");
  const remind_at = "2026-11-21T09:00";
  const told = `The reminder reaches nobody until the person chooses where reminders go: ${settingsAddress}`;
  const made = await call("create-todo", { title: "a", remind_at });
  const changed = await call("update-todo", { todo_id: made.facts.todo.id, remind_at: "2026-11-21T10:00" });
  const several = await call("create-todo", { todos: ["b", "c"].map((title) => ({ title, remind_at })) });
  for (const { todo } of [made.facts, changed.facts, several.facts.results[0]])
    expect(todo.reaches).toBe("nobody");
  for (const { text } of [made, changed, several]) expect(text.split(told)).toHaveLength(2);
  await statusBecomes(todo, "unsent");
  expect((await deliveriesOf(todo))[0]).toMatchObject({ channel: "log", status: "unsent" });
  await useWebhook();
  expect(await reached()).toBe("webhook");
  const { reminder } = (await rest("GET", `/todos/${todo}`)).body;
  expect(reminder).toMatchObject({ reaches: "webhook", choose_channel_at: null });
  expect((await call("create-todo", { title: "d", remind_at })).text).not.toContain("nobody");
  await configure({ webhook_url: null, reminder_channel: "log" });
});

test("a channel without its target is refused", async () => {
  expect((await configure({ reminder_channel: "email" })).errors).toHaveProperty("email");
  expect((await configure({ reminder_channel: "webhook" })).errors).toHaveProperty("webhook_url");
  expect((await send("webhook.test")).code).toBe("conflict");
});

test("a reminder by e-mail reaches the mailbox, its Message-ID made of the delivery's id", async () => {
  await configure({ email: "ada@example.com", reminder_channel: "email" });
  const todo = await remindNow("Call Grace");
  await statusBecomes(todo, "sent");
  const [delivery] = await deliveriesOf(todo);
  const mail = mailbox.mails.find((one) => headersOf(one)["message-id"]?.includes(delivery.id));
  expect(mail?.to).toEqual(["ada@example.com"]);
  expect(delivery).toMatchObject({ channel: "email", status: "sent" });
});

test("a webhook gets a secret of its own, kept while the address stays, which signs a reminder with its delivery's id", async () => {
  await useWebhook();
  const todo = await remindNow();
  await statusBecomes(todo, "sent");
  const [delivery] = await deliveriesOf(todo);
  const events = receiver.received.filter(({ id }) => id === delivery.id);
  expect(events).toMatchObject([{ event: { data: { todo: { id: todo }, late: false } } }]);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await configure({ webhook_url: receiver.url })).webhook_secret).toBe(secret);
  const other = await configure({ webhook_url: "https://example.com/hook" });
  expect(other.webhook_secret).not.toBe(secret);
});

test("the test button sends an event, and the settings show what became of it", async () => {
  await useWebhook();
  const { delivery_id } = await testWebhook();
  await eventually(async () => (await settings()).test?.status === "sent");
  expect(receiver.received.find(({ id }) => id === delivery_id)?.event.type).toBe("webhook.test");
  receiver.behaviour.answer = answering(500);
  expect((await send("webhook.test")).code).toBe("conflict");
  await testWebhook();
  const failed = await eventually(async () => {
    const { test } = await settings();
    return test?.status === "failed" && test;
  });
  expect(failed.error).toBe("The webhook answered 500.");
  expect((await settings()).webhook_failures).toBe(0);
});

test("a failed attempt is repeated with growing waits, and after the sixth the reminder has failed", async () => {
  await useWebhook();
  receiver.behaviour.answer = answering(503);
  const todo = await remindNow();
  for (let attempt = 1; attempt <= 6; attempt++) {
    await tick();
    const delivery = await eventually(async () => {
      const [one] = await deliveriesOf(todo);
      return one?.attempts === attempt && ["retrying", "failed"].includes(one.status) && one;
    });
    if (attempt < 6) expect(delivery.status).toBe("retrying");
    stack.clock.now = delivery.next_attempt_at.getTime() + 1;
  }
  await statusBecomes(todo, "failed");
  const [delivery] = await deliveriesOf(todo);
  expect(delivery).toMatchObject({ status: "failed", attempts: 6, error: "The webhook answered 503." });
  const received = receiver.received.filter(({ event }) => event.data.todo?.id === todo);
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  expect((await settings()).webhook_disabled_at).toBeNull();
});

test("a failed reminder is sent again once, however often that is asked for, also days later", async () => {
  mailbox.unknown.add("gone@example.com");
  await configure({ email: "gone@example.com", reminder_channel: "email" });
  const todo_id = await remindNow("Call Grace");
  await statusBecomes(todo_id, "failed");
  const [failed] = await deliveriesOf(todo_id);
  expect(failed.error).toBe("The mail server does not take mail for this address (550).");
  travelTo("2026-11-25T08:00:00Z");
  await configure({ email: "ada@example.com" });
  const before = mailbox.mails.length;
  const again = { todo_id, delivery_id: failed.id };
  const answers = await Promise.all([1, 2, 3].map(() => send("reminder.send-again", again)));
  expect(answers.map(({ code }) => code ?? "ok").sort()).toEqual(["conflict", "conflict", "ok"]);
  await statusBecomes(todo_id, "sent");
  const deliveries = await deliveriesOf(todo_id);
  expect(deliveries.map(({ status }) => status).sort()).toEqual(["failed", "sent"]);
  expect(mailbox.mails.length).toBe(before + 1);
});

test("a webhook that fails for a day is switched off, visibly, until it is saved or tested again", async () => {
  await useWebhook();
  receiver.behaviour.answer = answering(500);
  for (let one = 0; one < 5; one++) await remindNow();
  await tick();
  await eventually(async () => (await settings()).webhook_failures === 5);
  travelTo("2026-11-22T07:59:00Z");
  await tick();
  await eventually(async () => (await settings()).webhook_failures === 10);
  expect((await settings()).webhook_disabled_at).toBeNull();
  travelTo("2026-11-22T08:01:00Z");
  await remindNow();
  await tick();
  await eventually(async () => (await settings()).webhook_disabled_at !== null);
  expect((await settings()).webhook_disabled_at).toStartWith("2026-11-22T08:01:00");
  receiver.behaviour.answer = answering(204);
  await statusBecomes(await remindNow(), "failed");
  await testWebhook();
  await eventually(async () => (await settings()).webhook_disabled_at === null);
  expect((await settings()).webhook_failures).toBe(0);
});

test("addresses that are none are refused", async () => {
  const none = [
    "ftp://example.com",
    "http://example.com",
    "https://ada:pw@example.com",
    "example.com",
    "https://example.com/\0",
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[fe80::1]/",
    "https://[::ffff:192.168.0.1]/",
    "",
  ];
  for (const webhook_url of none)
    expect((await asPage({ webhook_url })).errors).toHaveProperty("webhook_url");
  for (const email of ["ada", "ada@", "a@b@c", "ada@example.com\r\nBcc: x@example.com"])
    expect((await asPage({ email })).errors).toHaveProperty("email");
});

/** The account pages check what a person types against the contract before it is sent. */
async function asPage(fields: object) {
  const validated = validate(changeSettings, { ...fields });
  return "refusal" in validated ? validated.refusal : { errors: undefined };
}

test("closing the account removes its deliveries", async () => {
  await send("user.delete");
  expect(await stack.rows("select 1 from reminder_deliveries where user_id = $1", [stack.sub])).toEqual([]);
});
