import type { Log } from "../../../shared/process/observe/log.ts";
import { type AskPrimary, createLagWatch } from "./lag.ts";
import type { StandbyProbe } from "./probe.ts";
import { createPositionWaits } from "./waits.ts";

/** The known position of a standby. Replayed changes stay, so all reads share one answer. */
export type StandbyWatch = Readonly<{
  /** False while the standby is away or too far behind for any read. */
  isUsable(): boolean;
  /** The upper bound of the standby's lag; infinite while unknown. */
  lagMs(): number;
  /** Resolves to whether the standby shows everything before that position, at the latest after 200 ms. */
  hasReached(position: number): Promise<boolean>;
  /**
   * Passes on the result of a read at the standby.
   * @throws as soon as the standby counts as away
   */
  whileUsable<Result>(work: Promise<Result>): Promise<Result>;
  close(): void;
}>;

type Watched = Readonly<{
  probe: Pick<StandbyProbe, "ask" | "drop">;
  askPrimary: AskPrimary;
  /** A standby is too far behind if it has not shown a state of the primary within this time. */
  maxLagMs: number;
  log: Log;
}>;

const patienceMs = 200;
/** Pauses between questions to the standby: with a waiting read, and without one. */
const busyPauseMs = 2;
const idlePauseMs = 250;

/** Asks the standby repeatedly until the watch is closed. */
export function watchStandby({ probe, askPrimary, maxLagMs, log }: Watched): StandbyWatch {
  const waits = createPositionWaits(patienceMs);
  const working = new Set<(reason: Error) => void>();
  const lag = createLagWatch(askPrimary, maxLagMs);
  const tell = createTeller(log);
  let replayed: number | undefined;
  let wake = () => {};
  let closed = false;

  const isUsable = () => replayed !== undefined && lag.ms() < maxLagMs;

  async function look(): Promise<void> {
    try {
      replayed = await probe.ask();
      lag.standbyReached(replayed);
      waits.reached(replayed);
      tell(isUsable(), lag.reason());
    } catch (error) {
      if (!closed) giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  function giveUp(reason: string): void {
    probe.drop();
    replayed = undefined;
    for (const reject of working) reject(new Error(reason));
    waits.giveUp();
    tell(false, reason);
  }

  async function watch(): Promise<void> {
    while (!closed) {
      lag.markWhenDue();
      await look();
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([Bun.sleep(waits.areAny() ? busyPauseMs : idlePauseMs), woken]);
    }
  }

  void watch();
  return {
    isUsable,
    lagMs: lag.ms,
    hasReached(position) {
      if (replayed !== undefined && position <= replayed) return Promise.resolve(true);
      if (!waits.areAny()) wake();
      return waits.wait(position);
    },
    whileUsable: (work) =>
      new Promise((resolve, reject) => {
        working.add(reject);
        void work.then(resolve, reject).finally(() => working.delete(reject));
      }),
    close() {
      closed = true;
      probe.drop();
    },
  };
}

/** Missing facts right after the start are no outage. */
const startMs = 1_000;

/** Logs once when the standby becomes unusable, and once when it is usable again. */
function createTeller(log: Log): (isUsable: boolean, reason: string) => void {
  const startedAt = performance.now();
  let reported: boolean | undefined;
  return (isUsable, reason) => {
    const isStarting = reported === undefined && performance.now() - startedAt < startMs;
    if (reported === isUsable || (isStarting && !isUsable)) return;
    reported = isUsable;
    if (isUsable) log.info("the standby answers reads");
    else log.warn({ reason }, "the standby cannot be used, and the primary answers its reads");
  };
}
