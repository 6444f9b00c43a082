import { expect, test } from "bun:test";
import { createTelegramChannel } from "../../../../workers/reminder/channels/telegram.ts";
import { startInbox } from "../../../support/reminder/inbox.ts";
import { behavesAsChannel, closedAfter, delivery, deliveryOf, sendBy, todoOf } from "./suite.ts";

const inbox = startInbox();
const channel = closedAfter(createTelegramChannel({ telegramUrl: inbox.url }));
const nobody = closedAfter(createTelegramChannel({ telegramUrl: "http://127.0.0.1:9" }));
const telegram_bot_token = "123456:a-token-of-a-bot-that-nobody-has";
const target = { channel: "telegram", telegram_bot_token, telegram_chat_id: "-100123" } as const;
const written = () => inbox.taken.map(({ body }) => JSON.parse(String(body)));

behavesAsChannel("telegram", {
  channel,
  target,
  unset: { ...target, telegram_bot_token: null },
  refusals: { inbox, ends: [400, 401, 403, 404], passes: [429, 502] },
  seen: () =>
    written().map(({ text, reply_markup }) => ({
      id: deliveryOf(reply_markup.inline_keyboard[0][0].url),
      text,
      late: text.includes("This reminder is late"),
    })),
});

test("a chat gets title, notes and buttons as the bot's message", async () => {
  const todo = todoOf({ title: "Call <b>Grace</b>", description: "x".repeat(5_000) });
  await sendBy(channel, delivery({ ...target, todo }));
  expect(inbox.taken.at(-1)?.path).toBe(`/bot${telegram_bot_token}/sendMessage`);
  const { chat_id, text, reply_markup, parse_mode } = written().at(-1);
  expect([chat_id, parse_mode]).toEqual(["-100123", undefined]);
  expect(text).toMatch(/^Call <b>Grace<\/b>\n\nx{999}…\nReminder set for Sat 21 Nov 09:00/);
  const labels = reply_markup.inline_keyboard.map((row: { text: string }[]) => row.map((one) => one.text));
  expect(labels).toEqual([["Done", "In an hour", "Tomorrow"], ["Open in Kept"]]);
});

test("Telegram that cannot be reached is tried again", async () => {
  expect(await sendBy(nobody, delivery(target))).toMatchObject({ ok: false, final: false });
});
