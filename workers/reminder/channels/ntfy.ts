import type { Config } from "../../../shared/process/config.ts";
import { type Channel, type ChannelResult, linesOf, type Message, sendFailed } from "./channel.ts";
import { isSuccess, mayPass, openPoster } from "./post.ts";

type Options = Pick<Config, "webhookAllowLoopback">;

/** A longer message becomes a file. */
const longestNotes = 1_000;

/** Posts to the user's topic at ntfy.sh or a server of their own (https://docs.ntfy.sh/publish). */
export function createNtfyChannel({ webhookAllowLoopback }: Options): Channel {
  const poster = openPoster({ receiver: "The ntfy topic", allowLoopback: webhookAllowLoopback });
  return {
    async send({ id, ntfy_url, ntfy_token }, message) {
      if (ntfy_url === null) return sendFailed("No ntfy topic is set.", true);
      const sign = ntfy_token === null ? {} : { authorization: `Bearer ${ntfy_token}` };
      const body = linesOf(message, longestNotes).join("\n");
      const answer = await poster.post(ntfy_url, { ...headersOf(id, message), ...sign }, body);
      return "status" in answer ? resultOf(answer.status) : answer;
    },
    close: poster.close,
  };
}

/** Newer servers and apps replace an earlier message with the same sequence id. */
function headersOf(id: string, { title, link, acts }: Message): Record<string, string> {
  const actions = acts.map(({ label, url }) => `view, ${label}, ${url}, clear=true`).join("; ");
  return {
    "content-type": "text/plain; charset=utf-8",
    "user-agent": "Kept",
    title: `=?UTF-8?B?${Buffer.from(title).toString("base64")}?=`,
    click: link,
    "x-sequence-id": id,
    ...(actions !== "" && { actions }),
  };
}

function resultOf(status: number): ChannelResult {
  if (isSuccess(status)) return { ok: true };
  if (status === 401 || status === 403)
    return sendFailed(`The ntfy server lets nobody publish there without the right token (${status}).`, true);
  return sendFailed(`The ntfy server answered ${status}.`, !mayPass(status));
}
