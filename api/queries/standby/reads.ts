import { DatabaseFailure, wasStopped } from "../../../shared/db/database-failure.ts";
import type { RunRead } from "../engine/coalesced-reads.ts";
import type { StandbyWatch } from "./watch.ts";

/**
 * The outcome of a read that a standby may answer. It was answered by the standby; or by the primary, because the
 * standby was away, was behind the caller's last change or failed, or because that change was unknown.
 */
export type StandbyOutcome = "answered" | "away" | "behind" | "failed" | "unknown";

type Dependencies = Readonly<{
  standby: RunRead;
  primary: RunRead;
  watch: StandbyWatch;
  /** @returns the position that the standby must have reached for this user; undefined when it is unknown */
  lastChangeOf(userId: string): Promise<number | undefined> | number;
  note(outcome: StandbyOutcome, error?: unknown): void;
}>;

/** Reads from the standby once it shows the user's last change, else from the primary. */
export function createStandbyReads({ standby, primary, watch, lastChangeOf, note }: Dependencies): RunRead {
  async function findReason(userId: string): Promise<StandbyOutcome | undefined> {
    if (!watch.isUsable()) return "away";
    const position = await lastChangeOf(userId);
    if (position === undefined) return "unknown";
    if (!(await watch.hasReached(position))) return "behind";
    return watch.isUsable() ? undefined : "away";
  }

  return async <Row>(...read: Parameters<RunRead>) => {
    const reason = await findReason(read[0]);
    if (reason) {
      note(reason);
      return primary<Row>(...read);
    }
    try {
      const rows = await watch.whileUsable(standby<Row>(...read));
      note("answered");
      return rows;
    } catch (error) {
      if (isStopped(error)) throw error;
      note("failed", error);
      return primary<Row>(...read);
    }
  };
}

/** A read that PostgreSQL stopped takes too long at the primary as well. */
const isStopped = (error: unknown): boolean => error instanceof DatabaseFailure && wasStopped(error.cause);
