import type { UserState } from "./version.ts";

/** An open page that is told of changes. */
export type LiveStream = Readonly<{
  /** The generation of its session. */
  generation: number;
  /** Sends the present version, unless the page has it. */
  tell(versions: UserState["versions"]): void;
  /** Shows proxies and the client that the connection is alive. */
  beat(): void;
  /** @param goodbye set if the page must not reconnect */
  end(goodbye?: "goodbye"): void;
}>;

/** All open pages of one user at this front door. */
export type UserWatch = Readonly<{
  /** Streams in order of arrival. */
  streams: Set<LiveStream>;
  /** Schedules a read, because something may have changed. */
  look(): void;
  close(): void;
}>;

const beatMs = 15_000;
/** A user with many changes in a row is read this often. */
const pauseMs = 500;

/**
 * Reads a user's state after each notice of a change, and with each beat. So a lost notice only delays a page, and
 * ended sessions end.
 * @param read undefined for a deleted account
 */
export function watchUser(read: () => Promise<UserState | undefined>): UserWatch {
  const streams = new Set<LiveStream>();
  let planned: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function lookNow(): Promise<void> {
    // During an outage of the database, pages stay as they are.
    const state = await read().catch(() => "unknown" as const);
    if (state === "unknown") return;
    for (const stream of streams) {
      if (stream.generation === state?.generation) stream.tell(state.versions);
      else stream.end("goodbye");
    }
  }

  /** A notice that comes during a read may be newer than its result, so it causes another read. */
  async function lookOnce(): Promise<void> {
    lookedAt = performance.now();
    isAsked = false;
    await lookNow().finally(() => {
      planned = undefined;
    });
    if (isAsked && streams.size > 0) look();
  }

  function look(): void {
    isAsked = true;
    planned ??= setTimeout(lookOnce, Math.max(0, lookedAt + pauseMs - performance.now()));
  }

  const heart = setInterval(() => {
    for (const stream of streams) stream.beat();
    look();
  }, beatMs);

  return {
    streams,
    look,
    close() {
      clearInterval(heart);
      clearTimeout(planned);
    },
  };
}
