import { openSink } from "../../../live/sink.ts";
import type { Followed } from "../../../live/version.ts";
import type { LiveStream } from "../../../live/watch-user.ts";
import type { Guest, Visit } from "../session/context.ts";
import { signedInVisit } from "../session/session.ts";

/** A stream ends after this time, so that its page checks its session again. */
const longestMs = 60 * 60 * 1_000;

const headers = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // nginx would otherwise buffer the events.
  "X-Accel-Buffering": "no",
};

/**
 * GET /account/live?follows=…&version=…: server-sent events (HTML §9.2). Each event says that the page is behind; its
 * id is the present version. A browser that reconnects sends `Last-Event-ID` and learns at once what it missed.
 */
export async function showEvents(guest: Guest): Promise<Response> {
  const visit = await signedInVisit(guest);
  if (!visit) return plain("Sign in first.", 401);
  if (guest.request.method === "HEAD") return new Response(null, { headers });
  const seen = guest.request.headers.get("last-event-id") ?? guest.url.searchParams.get("version");
  const body = joinLive(visit, seen);
  return body ? new Response(body, { headers }) : plain("Too many pages are live.", 429);
}

const plain = (text: string, status: number): Response =>
  new Response(text, { status, headers: { "Cache-Control": "no-store", "Retry-After": "30" } });

/** @returns undefined when there is no room for another stream */
function joinLive({ context, session, url }: Visit, seen: string | null): ReadableStream | undefined {
  const sink = openSink();
  const followed: Followed = url.searchParams.get("follows") === "actions" ? "actions" : "changes";
  let version = seen;
  const stream: LiveStream = {
    generation: session.generation,
    tell({ [followed]: current }) {
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
