import { afterAll, expect, test } from "bun:test";
import { createTelegramChannel } from "../../../../workers/reminder/channels/telegram.ts";
import { startInbox } from "../../../support/reminder/inbox.ts";
import { behavesAsChannel, delivery, deliveryOf, sendBy } from "./suite.ts";

const inbox = startInbox();
const channel = createTelegramChannel({ telegramUrl: inbox.url });
const nobody = createTelegramChannel({ telegramUrl: "http://127.0.0.1:9" });
afterAll(() => {
  for (const { close } of [channel, nobody]) close();
});
const telegram_bot_token = "123456:a-token-of-a-bot-that-nobody-has";
const target = { channel: "telegram", telegram_bot_token, telegram_chat_id: "-100123" } as const;
const written = () => inbox.taken.map(({ body }) => JSON.parse(String(body)));

behavesAsChannel("Telegram", {
  channel,
  target,
  unset: { ...target, telegram_bot_token: null },
  seen: () =>
    written().map(({ text, reply_markup }) => ({
      id: deliveryOf(reply_markup.inline_keyboard[0][0].url),
      text,
      late: text.includes("This reminder is late"),
    })),
});

test("a chat gets title, notes and buttons as the bot's message", async () => {
  const todo = {
    id: 7,
    title: "Call <b>Grace</b>",
    description: "x".repeat(5_000),
    due_date: null,
    due_time: null,
  };
  await sendBy(channel, delivery({ ...target, todo }));
  expect(inbox.taken.at(-1)?.path).toBe(`/bot${telegram_bot_token}/sendMessage`);
  const { chat_id, text, reply_markup, parse_mode } = written().at(-1);
  expect([chat_id, parse_mode]).toEqual(["-100123", undefined]);
  expect(text).toMatch(/^Call <b>Grace<\/b>\n\nx{999}…\nReminder set for Sat 21 Nov 09:00/);
  const labels = reply_markup.inline_keyboard.map((row: { text: string }[]) => row.map((one) => one.text));
  expect(labels).toEqual([["Done", "In an hour", "Tomorrow"], ["Open in Kept"]]);
});

test.each([
  [400, true],
  [401, true],
  [403, true],
  [404, true],
  [429, false],
  [502, false],
])("the answer %d ends a reminder: %p, and no sentence has the token", async (status, final) => {
  inbox.behaviour.status = () => status;
  const result = await sendBy(channel, delivery(target));
  expect(result).toMatchObject({ ok: false, final });
  expect(JSON.stringify(result)).not.toContain(telegram_bot_token);
  inbox.behaviour.status = () => 200;
});

test("Telegram that cannot be reached is tried again", async () => {
  expect(await sendBy(nobody, delivery(target))).toMatchObject({ ok: false, final: false });
});
