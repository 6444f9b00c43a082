import { lockTimeoutMs } from "../shared/db/orm.ts";

/** Work that waits for rows which another transaction holds, outside of any envelope. */
export type WaitingRoom = Readonly<{
  /**
   * Does the work after all that came before it for the same rows. `late`: it had to wait so
   * long that it would outlast the patience of whoever sent it.
   * @returns false when too many rows are waited for already
   */
  enter(rows: string, work: (late: boolean) => Promise<unknown>): boolean;
  /** Resolves when all work is done. */
  emptied(): Promise<unknown>;
}>;

/** So many rows can be waited for at once: each holds a connection. */
export const waitingRows = 4;

export function createWaitingRoom(): WaitingRoom {
  const lines = new Map<string, Promise<unknown>>();
  return {
    enter(rows, work) {
      const line = lines.get(rows);
      if (!line && lines.size >= waitingRows) return false;
      const since = performance.now();
      const turn = (line ?? Promise.resolve()).then(async () => {
        await work(performance.now() - since > lockTimeoutMs);
        if (lines.get(rows) === turn) lines.delete(rows);
      });
      lines.set(rows, turn);
      return true;
    },
    emptied: () => Promise.all(lines.values()),
  };
}
