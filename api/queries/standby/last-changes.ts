import type { Reply } from "../../../shared/queue/batch.ts";
import type { RedisConnection } from "../../../shared/queue/connections.ts";
import { positionsKeptMs, type WrittenPositions } from "../../../shared/queue/written-positions.ts";

/** The position that a standby must have reached to show a user's last change. */
type LastChanges = Readonly<{
  /** @returns undefined if the position is unknown at present */
  of(userId: string): Promise<number | undefined>;
  /** Checks whether the worker of this reply stores positions. */
  check(reply: Reply): void;
  /**
   * Stores the position of a change whose reply was lost, because its worker may have stored none.
   * @throws when that fails
   */
  noteLost(userId: string): Promise<void>;
}>;

type Dependencies = Readonly<{
  redis: RedisConnection;
  positions: WrittenPositions;
  /** The end of the primary's log. */
  askPrimary(): Promise<number>;
  /** Called when workers start or stop storing positions. */
  onWorkers(note: boolean): void;
}>;

export function createLastChanges({ redis, positions, askPrimary, onWorkers }: Dependencies): LastChanges {
  let workersNote = true;
  let least: Promise<number> | undefined;
  const forget = () => {
    least = undefined;
  };
  // A Redis that restarted or took over may have lost positions.
  for (const event of ["ready", "+node", "-node"]) redis.on(event, forget);

  /**
   * Lost positions lie before the present end of the log, so that end counts for everybody until they would have
   * expired.
   */
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
        // The end of the log is asked for after Redis has answered, so it is not from before the restart of Redis.
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
