import type { Config } from "../../../shared/process/config.ts";
import { type Channel, type ChannelResult, linesOf, type Message, sendFailed } from "./channel.ts";
import { isSuccess, mayPass, openPoster } from "./post.ts";

type Options = Pick<Config, "telegramUrl">;

const longestNotes = 1_000;

/** Writes to a chat as the user's own bot (https://core.telegram.org/bots/api#sendmessage). */
export function createTelegramChannel({ telegramUrl }: Options): Channel {
  const poster = openPoster({ receiver: "Telegram" });
  return {
    async send({ telegram_bot_token, telegram_chat_id }, message) {
      if (telegram_bot_token === null || telegram_chat_id === null)
        return sendFailed("No Telegram bot and chat are set.", true);
      const url = `${telegramUrl}/bot${telegram_bot_token}/sendMessage`;
      const body = JSON.stringify({ chat_id: telegram_chat_id, ...contentOf(message) });
      const answer = await poster.post(url, { "content-type": "application/json" }, body);
      return "status" in answer ? resultOf(answer.status) : answer;
    },
    close: poster.close,
  };
}

/** Text without markup: a title can have any characters. Telegram refuses buttons with an address like localhost. */
function contentOf(message: Message) {
  const { title, acts, link } = message;
  const lines = [title, "", ...linesOf(message, longestNotes)];
  const settings = { link_preview_options: { is_disabled: true } };
  if (!link.startsWith("https:")) return { text: [...lines, "", link].join("\n"), ...settings };
  const row = acts.map(({ label, url }) => ({ text: label, url }));
  const buttons = [row, [{ text: "Open in Kept", url: link }]].filter(({ length }) => length > 0);
  return { text: lines.join("\n"), ...settings, reply_markup: { inline_keyboard: buttons } };
}

function resultOf(status: number): ChannelResult {
  if (isSuccess(status)) return { ok: true };
  const reason = reasons[status] ?? `Telegram answered ${status}.`;
  return sendFailed(reason, !mayPass(status));
}

const reasons: Readonly<Record<number, string>> = {
  400: "Telegram does not know this chat: write to the bot first, and check the chat id.",
  401: "Telegram does not know the bot's token.",
  403: "The bot may not write to this chat: it was blocked or removed there.",
  404: "Telegram does not know the bot's token.",
};
