/** An upper bound of a standby's lag in time. */
type LagWatch = Readonly<{
  /** Asks the primary for the end of its log, if that is not known recently. */
  markWhenDue(): void;
  standbyReached(position: number): void;
  ms(): number;
  /** The reason why the standby cannot be used, for the log. */
  reason(): string;
}>;

const everyMs = 1_000;
const tooFarBehind = "it is too far behind";
const notWaitedFor =
  "READ_DATABASE_SYNC is remote_apply, but the primary's commits wait for no standby to apply them";

/**
 * Asks the primary for the flushed end of its log.
 * @returns undefined when its commits do not wait for standbys, although the settings promise it
 */
export type AskPrimary = () => Promise<number | undefined>;

/**
 * Clocks of hosts are not compared. A standby that has replayed up to the primary's end of log shows everything
 * committed before the primary was asked.
 */
export function createLagWatch(askPrimary: AskPrimary, maxLagMs: number): LagWatch {
  let mark: Readonly<{ position: number; askedAt: number }> | undefined;
  let nextAt = 0;
  let freshAt = Number.NEGATIVE_INFINITY;
  let reason = tooFarBehind;

  async function ask(askedAt: number): Promise<void> {
    const position = await askPrimary().catch(() => null);
    // A primary that does not answer commits nothing, so the known state of the standby stays true for a while.
    if (position === null) return;
    mark = position === undefined ? undefined : { position, askedAt };
    if (position === undefined) freshAt = Number.NEGATIVE_INFINITY;
    reason = position === undefined ? notWaitedFor : tooFarBehind;
  }

  return {
    markWhenDue() {
      const now = performance.now();
      // A new primary may lack the end of the old one's log, so the mark can be out of reach.
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
