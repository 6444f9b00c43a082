import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { pageScript } from "../../../web/assets.ts";
import type { LiveStream } from "../../streams/hub.ts";
import { type Followed, readUserState } from "../../streams/hub.ts";
import { eventStreamHeaders, openSink } from "../../streams/sink.ts";
import type { Guest, Visit } from "../session/context.ts";
import { signedInVisit } from "../session/session.ts";

/** The scripts of a page on which things are done, and whose parts update themselves. */
export const liveScripts = [pageScript];

/**
 * Tells the scripts the version of a page. Read it before the page's content, which is then at least as new.
 * @param from the address of the parts, if it is not the page's own
 */
export async function liveMark(
  { query }: Pick<Visit, "query">,
  { follows = "changes", from }: Readonly<{ follows?: Followed; from?: string | undefined }> = {},
): Promise<Html> {
  const found = await query.inTurn(async (own) => ({ state: await readUserState(own) }));
  const version = isRefused(found) ? undefined : found.state?.versions[follows];
  return html`<div id="live" hidden data-part data-version="${version}" data-follows="${follows}"${from !== undefined && html` data-from="${from}"`}></div>`;
}

/** A stream ends after this time, so that its page checks its session again. */
const longestMs = 60 * 60 * 1_000;

/**
 * GET /account/live?follows=…&version=…: server-sent events (HTML §9.2). Each event says that the page is behind; its
 * id is the present version. A browser that reconnects sends `Last-Event-ID` and learns at once what it missed.
 */
export async function showEvents(guest: Guest): Promise<Response> {
  const visit = await signedInVisit(guest);
  if (!visit) return plain("Sign in first.", 401);
  if (guest.request.method === "HEAD") return new Response(null, { headers: eventStreamHeaders });
  const seen = guest.request.headers.get("last-event-id") ?? guest.url.searchParams.get("version");
  const body = joinLive(visit, seen);
  return body ? new Response(body, { headers: eventStreamHeaders }) : plain("Too many pages are live.", 429);
}

const plain = (text: string, status: number): Response =>
  new Response(text, { status, headers: { "Cache-Control": "no-store", "Retry-After": "30" } });

/** @returns undefined when there is no room for another stream */
function joinLive({ context, session, url }: Visit, seen: string | null): ReadableStream | undefined {
  const sink = openSink();
  const followed: Followed = url.searchParams.get("follows") === "actions" ? "actions" : "changes";
  let version = seen;
  const stream: LiveStream = {
    tell(state) {
      if (state?.generation !== session.generation) return stream.end("goodbye");
      const current = state.versions[followed];
      if (current !== version) sink.send(`event: changed\nid: ${current}\ndata: {}\n\n`);
      version = current;
    },
    beat: () => sink.send(":\n\n"),
    end(goodbye) {
      if (goodbye) sink.send("event: goodbye\ndata: {}\n\n");
      sink.end();
    },
  };
  const leave = context.live.join(session.sub, stream);
  if (!leave) return undefined;
  const { exp = Number.POSITIVE_INFINITY } = session;
  const timer = setTimeout(() => stream.end(), Math.min(longestMs, exp * 1_000 - Date.now()));
  sink.onEnd(() => {
    clearTimeout(timer);
    leave();
  });
  // A random delay spreads the pages of a stopped door.
  sink.send(`retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n\n`);
  return sink.body;
}
