import type { UserState } from "./version.ts";

/** An open page that is told of changes. */
export type LiveStream = Readonly<{
  /** The generation of its session. */
  generation: number;
  /** Sends the version that is there now, unless the page has it. */
  tell(versions: UserState["versions"]): void;
  /** Shows proxies and the client that the connection lives. */
  beat(): void;
  /** @param goodbye whether its page shall not come back by itself */
  end(goodbye?: "goodbye"): void;
}>;

/** All open pages of one user at this front door. */
export type UserWatch = Readonly<{
  /** In the order in which they came. */
  streams: Set<LiveStream>;
  /** Something may have changed. */
  look(): void;
  close(): void;
}>;

const beatMs = 15_000;
/** A user for whom much is done in a row is looked at this often. */
const pauseMs = 500;

/**
 * Looks what there is for a user when it is told of a change, and with each beat in any case. So a word that was lost
 * shows late, but it shows, and sessions that were ended end.
 * @param read undefined for a deleted account
 */
export function watchUser(read: () => Promise<UserState | undefined>): UserWatch {
  const streams = new Set<LiveStream>();
  let planned: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function lookNow(): Promise<void> {
    // While the database is away, pages stay as they are.
    const state = await read().catch(() => "unknown" as const);
    if (state === "unknown") return;
    for (const stream of streams) {
      if (stream.generation === state?.generation) stream.tell(state.versions);
      else stream.end("goodbye");
    }
  }

  /** What is said while it reads may not be in what was read, so it reads once more. */
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
