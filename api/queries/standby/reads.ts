import { DatabaseFailure, wasStopped } from "../../../shared/db/database-failure.ts";
import type { RunRead } from "../engine/read-batches.ts";
import type { StandbyWatch } from "./watch.ts";

/**
 * The outcome of a read that a standby may answer: it answered, or the primary did because the standby was away, was
 * behind the caller's last change, failed, or that change was unknown.
 */
export type StandbyOutcome = "answered" | "away" | "behind" | "failed" | "unknown";

type Parts = Readonly<{
  standby: RunRead;
  primary: RunRead;
  watch: StandbyWatch;
  /** @returns the position that the standby must have reached for this user, or undefined when it is not known */
  lastChangeOf(userId: string): Promise<number | undefined> | number;
  note(outcome: StandbyOutcome, error?: unknown): void;
}>;

/** Reads at the standby as soon as it shows what the user has changed, else at the primary. */
export function createStandbyReads({ standby, primary, watch, lastChangeOf, note }: Parts): RunRead {
  async function findObstacle(userId: string): Promise<StandbyOutcome | undefined> {
    if (!watch.isUsable()) return "away";
    const position = await lastChangeOf(userId);
    if (position === undefined) return "unknown";
    if (!(await watch.hasReached(position))) return "behind";
    return watch.isUsable() ? undefined : "away";
  }

  return async <Row>(...read: Parameters<RunRead>) => {
    const obstacle = await findObstacle(read[0]);
    if (obstacle) {
      note(obstacle);
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

/** The primary would have to stop this read as well. */
const isStopped = (error: unknown): boolean => error instanceof DatabaseFailure && wasStopped(error.cause);
