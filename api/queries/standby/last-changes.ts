import type { Reply } from "../../../shared/queue/batch.ts";
import type { RedisConnection } from "../../../shared/queue/connections.ts";
import { positionsKeptMs, type WrittenPositions } from "../../../shared/queue/written-positions.ts";

/** Up to where a standby must be so that users find what they have changed. */
type LastChanges = Readonly<{
  /** @returns undefined when that is not known at present */
  of(userId: string): Promise<number | undefined>;
  /** Looks whether the worker that gave this reply notes positions. */
  check(reply: Reply): void;
  /**
   * Notes a change whose reply was lost, so that its worker may have noted nothing.
   * @throws when it cannot be noted
   */
  noteLost(userId: string): Promise<void>;
}>;

type Parts = Readonly<{
  redis: RedisConnection;
  positions: WrittenPositions;
  /** The end of the primary's log. */
  askPrimary(): Promise<number>;
  /** Called when workers start or stop noting positions. */
  onWorkers(note: boolean): void;
}>;

export function createLastChanges({ redis, positions, askPrimary, onWorkers }: Parts): LastChanges {
  let workersNote = true;
  let least: Promise<number> | undefined;
  const forget = () => {
    least = undefined;
  };
  // A Redis that comes back, or another one that took over, may have lost notes.
  for (const event of ["ready", "+node", "-node"]) redis.on(event, forget);

  /** The present end of the log bounds the notes that may be lost, until they would expire anyway. */
  function askLeast(): Promise<number> {
    const asked = askPrimary();
    const expire = () => {
      if (least === asked) least = Promise.resolve(0);
    };
    setTimeout(expire, positionsKeptMs).unref();
    return asked;
  }

  return {
    async of(userId) {
      if (!workersNote) return undefined;
      try {
        const position = await positions.of(userId);
        // Asked after Redis has answered, so that it is none from before a Redis that came back.
        least ??= askLeast();
        return Math.max(position, await least);
      } catch {
        forget();
        return undefined;
      }
    },
    check({ outcome, position }) {
      const notes = position !== undefined;
      if (!("body" in outcome) || notes === workersNote) return;
      workersNote = notes;
      forget();
      onWorkers(notes);
    },
    async noteLost(userId) {
      await positions.note(new Map([[userId, await askPrimary()]]));
    },
  };
}
