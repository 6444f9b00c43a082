import type { UserState } from "./version.ts";

/** An open page, or a client that follows changes. */
export type LiveStream = Readonly<{
  /** The network of a client with a token; absent for a page. */
  network?: string;
  /**
   * Says that something may have changed.
   * @param state undefined for a deleted account
   */
  tell(state: UserState | undefined): void;
  /** Shows proxies and the client that the connection is alive. */
  beat(): void;
  /** @param goodbye set if the page must not reconnect */
  end(goodbye?: "goodbye"): void;
}>;

/** All streams of one user at this front door. */
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
 * Reads a user's state after each notice of a change, and with each beat. So a lost notice only delays a stream, and
 * streams see that their session or token has ended.
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
    for (const stream of streams) stream.tell(state);
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
