import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { keptWaiting } from "../../../http/request.ts";
import { openSink } from "../../streams/sink.ts";
import { type ChangePage, type FollowContext, type Following, follow, noRoom, readNews } from "./follow.ts";

/** A stream ends after this time; its client reconnects, maybe to another door. */
const longestMs = 60 * 60 * 1_000;

/** Server-sent events (HTML §9.2): each is a page of changes, and its id is the cursor behind it. */
export async function openStream(
  context: FollowContext,
  following: Following,
  from: string | undefined,
): Promise<ReadableStream | Refused> {
  let cursor = from;
  const readNext = () => readNews(context, following, cursor === undefined ? {} : { cursor });
  const first = await readNext();
  if (isRefused(first)) return first;
  const sink = openSink();
  let isSending = false;
  const follower = {
    readNext,
    async take(page: ChangePage) {
      isSending = true;
      const event = `event: changes\nid: ${page.next_cursor}\ndata: ${JSON.stringify(page)}\n\n`;
      const isOpen = await sink.sendAll(event);
      isSending = false;
      cursor = page.next_cursor;
      return isOpen;
    },
    end: sink.end,
  };
  const leave = follow(context, following, follower, () => isSending || sink.send(":\n\n"));
  if (!leave) return noRoom;
  keptWaiting(following.request);
  const timer = setTimeout(sink.end, longestMs);
  sink.onEnd(() => {
    clearTimeout(timer);
    leave();
  });
  // A random delay spreads the clients of a stopped door.
  sink.send(`retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n\n`);
  return sink.body;
}
