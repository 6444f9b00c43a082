/** The upper bound of a standby's lag in time. */
type LagWatch = Readonly<{
  /** Asks the primary where its log ends, when it has not been asked for a while. */
  markWhenDue(): void;
  standbyReached(position: number): void;
  ms(): number;
  /** Explains the lag. */
  reason(): string;
}>;

const everyMs = 1_000;
const tooFarBehind = "it is too far behind";
const notWaitedFor =
  "READ_DATABASE_SYNC is remote_apply, but the primary's commits wait for no standby to apply them";

/**
 * Asks how far the log goes at the primary.
 * @returns undefined when its commits do not wait for standbys, although this was promised
 */
export type AskPrimary = () => Promise<number | undefined>;

/**
 * Clocks of hosts are not compared: once the standby has reached where the primary's log ended, it shows everything
 * that was committed before the primary was asked.
 */
export function createLagWatch(askPrimary: AskPrimary, maxLagMs: number): LagWatch {
  let mark: Readonly<{ position: number; askedAt: number }> | undefined;
  let nextAt = 0;
  let freshAt = Number.NEGATIVE_INFINITY;
  let reason = tooFarBehind;

  async function ask(askedAt: number): Promise<void> {
    const position = await askPrimary().catch(() => null);
    // A primary that does not answer commits nothing, so what was known of the standby stays true for a while.
    if (position === null) return;
    mark = position === undefined ? undefined : { position, askedAt };
    if (position === undefined) freshAt = Number.NEGATIVE_INFINITY;
    reason = position === undefined ? notWaitedFor : tooFarBehind;
  }

  return {
    markWhenDue() {
      const now = performance.now();
      // A mark is out of reach where a primary took over that lacks the end of the log of the one before.
      const isUnderWay = mark !== undefined && now - mark.askedAt < maxLagMs;
      if (isUnderWay || now < nextAt) return;
      nextAt = now + everyMs;
      void ask(now);
    },
    standbyReached(position) {
      if (!mark || position < mark.position) return;
      freshAt = mark.askedAt;
      mark = undefined;
    },
    ms: () => performance.now() - freshAt,
    reason: () => reason,
  };
}
