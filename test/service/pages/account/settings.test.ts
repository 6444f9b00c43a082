import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { tokenIn } from "../../../support/identity/support.ts";
import { fieldsOf, newPlainPerson, textOf } from "../../../support/pages/plain.ts";
import { answering, startReceiver } from "../../../support/reminder/receiver.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const stack = await useStack({ travels: true });
const { sql } = stack;
const path = "/account/settings";
const webhookPath = "/account/settings/webhook";
const dayPath = "/account/settings/day";
const channelPath = "/account/settings/reminders";

test("the settings decide what the user's today is", async () => {
  const { account, rest } = await newPlainPerson(stack);
  const todayOf = async () => {
    const { activity_strip } = await rest("GET", "/dashboard");
    return Object.keys(activity_strip).sort().at(-1);
  };
  const save = async (answers: Record<string, string>) =>
    textOf(await account.submit(await account.open(dayPath), dayPath, answers));
  stack.clock.now = Date.parse("2026-11-20T12:30:00Z");
  expect(await todayOf()).toBe("2026-11-20");
  expect(await save({ time_zone: "Pacific/Auckland" })).toContain("Saved.");
  expect(await todayOf()).toBe("2026-11-21");
  expect(textOf(await account.open("/account"))).toMatch(/Saturday,? 21 November 2026/);
  const { time_zone } = fieldsOf(await account.open(dayPath), dayPath);
  expect(time_zone).toBe("Pacific/Auckland");
  await save({ day_start_hour: "2" });
  expect(await todayOf()).toBe("2026-11-20");
  stack.clock.now = undefined;
});

test("colours and the first day of weeks are the account's, and no address of Upcoming is too far", async () => {
  const { account } = await newPlainPerson(stack);
  const schemeOf = (page: string) => /<meta name="color-scheme" content="([^"]+)"/.exec(page)?.[1];
  for (const [theme, scheme] of [
    ["dark", "dark"],
    ["light", "light"],
    ["system", "light dark"],
  ] as const) {
    const saved = await account.submit(await account.open(dayPath), dayPath, { theme, week_start: "sun" });
    expect(schemeOf(saved.text)).toBe(scheme);
  }
  expect(fieldsOf(await account.open(dayPath), dayPath)).toMatchObject({
    theme: "system",
    week_start: "sun",
  });
  for (const from of ["9999-12-31", "0001-01-01", "2026-02-30", ""])
    expect((await account.open(`/account/upcoming?from=${from}`)).status).toBe(200);
});

test("a webhook is saved, tested with its signature, chosen, and cannot be removed while in use", async () => {
  const { account } = await newPlainPerson(stack);
  let secret = "";
  const receiver = startReceiver(() => secret);
  const saveAddress = async (webhook_url: string) =>
    account.submit(await account.open(path), webhookPath, { webhook_url });
  const none = await account.open(path);
  expect(none.text).toMatch(/value="webhook"[^>]* disabled/);
  const wrong = await saveAddress("http://example.org/");
  expect(textOf(wrong)).toContain("This must be a public https address");
  expect(fieldsOf(wrong, webhookPath)).toMatchObject({ webhook_url: "http://example.org/" });

  const saved = await saveAddress(receiver.url);
  secret = tokenIn(saved);
  const tested = await account.submit(saved, "/account/settings/test", {});
  expect(textOf(tested)).toContain("Delivered on");
  expect([receiver.received.length, receiver.forged]).toEqual([1, []]);
  const chosen = await account.submit(tested, channelPath, { reminder_channel: "webhook" });
  expect(fieldsOf(chosen, channelPath)).toMatchObject({ reminder_channel: "webhook" });
  expect(textOf(await saveAddress(""))).toContain("choose another way");
});

test("a person saves a topic and a bot, whose token no page shows again, and chooses one", async () => {
  const { account } = await newPlainPerson(stack);
  const save = async (channel: string, answers: Record<string, string>) =>
    account.submit(await account.open(path), `/account/settings/${channel}`, answers);
  const wrong = await save("ntfy", { ntfy_url: "https://ntfy.sh/" });
  expect(textOf(wrong)).toContain("This must be a public https address of a topic");
  expect(textOf(await save("ntfy", { ntfy_url: "https://ntfy.sh/adas-topic" }))).toContain("ntfy: saved");
  const bot = { telegram_chat_id: "12345", telegram_bot_token: "123456:a-token-of-a-bot-that-nobody-has" };
  const saved = await save("telegram", bot);
  expect(textOf(saved)).toContain("Telegram: saved");
  expect(saved.text).not.toContain("a-token-of-a-bot");
  expect(fieldsOf(saved, "/account/settings/telegram")).toMatchObject({ telegram_bot_token: "" });
  const moved = await save("telegram", { telegram_chat_id: "54321" });
  const chosen = await account.submit(moved, channelPath, { reminder_channel: "telegram" });
  expect(textOf(chosen)).toContain("Reminders go where you chose.");
  expect(fieldsOf(chosen, "/account/settings/telegram")).toMatchObject({ telegram_chat_id: "54321" });
  const removed = await save("telegram", { telegram_chat_id: "" });
  expect(textOf(removed)).toContain("Reminders go to it: choose another way");
});

test("a person sees what comes and what failed, and sends that again, once", async () => {
  const { account, rest } = await newPlainPerson(stack);
  let secret = "";
  const receiver = startReceiver(() => secret);
  receiver.behaviour.answer = answering(500);
  const create = async (title: string, remind_at: string): Promise<number> => {
    const { id } = await rest("POST", "/todos", { title });
    await rest("PUT", `/todos/${id}/reminder`, { remind_at });
    return id;
  };
  await create("Renew passport", "2066-01-01T09:00:00");
  expect(textOf(await account.open("/account"))).toContain("aren't sent anywhere");
  const warned = await account.open(path);
  for (const said of ["aren't sent anywhere", "Fri 1 Jan 2066 09:00 Renew passport"])
    expect(textOf(warned)).toContain(said);
  const saved = await account.submit(warned, webhookPath, { webhook_url: receiver.url });
  secret = tokenIn(saved);
  expect(fieldsOf(saved, channelPath)).toMatchObject({ digest: "never" });
  const chosen = await account.submit(saved, channelPath, { reminder_channel: "webhook", digest: "weekly" });
  expect(textOf(chosen)).toContain("Reminders go where you chose.");
  expect(fieldsOf(chosen, channelPath)).toMatchObject({ digest: "weekly" });
  expect(textOf(chosen)).not.toContain("aren't sent anywhere");

  // The receiver refuses for longer than six attempts last.
  const id = await create("Call Grace", new Date().toISOString());
  const retrying = () => sql`select from reminder_deliveries where todo_id = ${id} and status = 'retrying'`;
  await eventually(async () => (await retrying()).length > 0);
  await sql`update reminder_deliveries set status = 'failed', finished_at = now() where todo_id = ${id}`;
  await sql`update reminders set status = 'failed' where todo_id = ${id}`;
  const failed = await account.open(path);
  expect(textOf(failed)).toContain("Could not be sent to your webhook. The webhook answered 500.");
  receiver.behaviour.answer = answering(204);
  const before = receiver.received.length;
  const again = () => account.submit(failed, "/account/settings/reminders/again", {});
  expect(textOf(await again())).toContain("It is on its way again.");
  expect(textOf(await again())).toContain("was sent again already");
  const sent = await eventually(async () => {
    const shown = textOf(await account.open(path));
    return shown.includes("Sent to your webhook on") && shown;
  });
  expect(receiver.received.length).toBe(before + 1);
  expect(receiver.received.at(-1)?.event).toMatchObject({ data: { todo: { title: "Call Grace" } } });
  expect(sent).not.toContain("Send again Call Grace");
});

test("the settings page shows how far long work of its person is, and nobody else's", async () => {
  const { account, sub, rest } = await newPlainPerson(stack);
  await rest("POST", "/categories", { name: "Home" });
  const stranger = crypto.randomUUID();
  const begin = (owner: string, name: string, done: number) => sql`
    insert into works (user_id, id, name, input, cursor, done, total, created_at)
    values (${owner}, ${crypto.randomUUID()}, ${name}, '{}', '12000', ${done}, 50000, now())`;
  await sql.begin(async (holder) => {
    // No worker has the turn of this user.
    for (const owner of [sub, stranger])
      await holder`select pg_advisory_xact_lock(hashtextextended('works ' || ${owner}, 0))`;
    await begin(sub, "user.configure", 12_000);
    await begin(stranger, "category.delete", 7);
    const text = textOf(await account.open(dayPath));
    expect(text).toContain("Your reminders are moving to your time zone: 12,000 of 50,000 are done.");
    expect(text).not.toContain("A deleted category");
  });
  await eventually(async () => {
    const left = await sql`select from works where user_id in (${sub}, ${stranger}) and ended_at is null`;
    return left.length === 0;
  });
  expect(textOf(await account.open(dayPath))).not.toContain("50,000");
});
