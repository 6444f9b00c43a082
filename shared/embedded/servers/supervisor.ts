import { elapsed } from "../explain.ts";

/** One life of a child process, from its launch to its death. */
export type Life<Details> = Readonly<{
  /** Resolves when the child serves; rejects when it cannot. */
  ready: Promise<Details>;
  /** Resolves with the cause in words when the child is dead. */
  exited: Promise<string>;
  stop(): Promise<void>;
}>;

type Child<Details> = Readonly<{
  name: string;
  launch(): Promise<Life<Details>>;
  /** Receives a line for people when the child died and when it is back. */
  report(line: string): void;
}>;

export type Supervised<Details> = Readonly<{
  /** The details that the first life reported when it was ready. */
  details: Details;
  stop(): Promise<void>;
}>;

const shortestPauseMs = 50;
const longestPauseMs = 2_000;
/** A child that lived this long resets the pauses to the shortest. */
const steadyMs = 10_000;

/**
 * Launches a child, waits until it is ready and relaunches it whenever it dies.
 * @throws when the first life ends before it is ready.
 */
export async function supervise<Details>(child: Child<Details>): Promise<Supervised<Details>> {
  const first = await child.launch();
  const details = await first.ready.catch(async (error) => {
    await first.stop();
    throw error;
  });
  const stopping = new AbortController();
  let current = first;
  const watching = relaunchUntil(stopping.signal, child, first, (life) => {
    current = life;
  });
  return {
    details,
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
      await current.stop();
    },
  };
}

async function relaunchUntil<Details>(
  stopping: AbortSignal,
  child: Child<Details>,
  first: Life<Details>,
  onLaunch: (life: Life<Details>) => void,
): Promise<void> {
  let life: Pick<Life<Details>, "exited"> = first;
  let pause = shortestPauseMs;
  for (;;) {
    const born = performance.now();
    const cause = await life.exited;
    if (stopping.aborted) return;
    const died = performance.now();
    if (died - born > steadyMs) pause = shortestPauseMs;
    child.report(`${child.name} ended (${cause}); starting it again`);
    await Promise.race([Bun.sleep(pause), aborted(stopping)]);
    if (stopping.aborted) return;
    pause = Math.min(pause * 2, longestPauseMs);
    try {
      const next = await child.launch();
      onLaunch(next);
      next.ready.then(
        () => child.report(`${child.name} is back after ${elapsed(died)}`),
        () => next.stop(),
      );
      life = next;
    } catch (error) {
      life = { exited: Promise.resolve(error instanceof Error ? error.message : String(error)) };
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
