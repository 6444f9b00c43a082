import type { Config } from "../process/config.ts";
import type { RedisConnection } from "./connections.ts";

/**
 * The position of each user's latest changes in the write-ahead log. Workers store it before they answer, so every
 * front door finds it once a change is acknowledged.
 */
export type WrittenPositions = Readonly<{
  /**
   * Stores positions by user.
   * @throws when Redis did not take them
   */
  note(positions: ReadonlyMap<string, number>): Promise<void>;
  /**
   * @returns 0 without a stored position
   * @throws when Redis does not answer
   */
  of(userId: string): Promise<number>;
}>;

/** A standby that is this far behind must not be used, because positions are forgotten by then. */
export const positionsKeptMs = 10_000;

/** Several workers store positions of one user, and a position must not go back. */
const noteAll = `
  for index, key in ipairs(KEYS) do
    if tonumber(redis.call('get', key) or 0) < tonumber(ARGV[index + 1]) then
      redis.call('set', key, ARGV[index + 1], 'px', ARGV[1])
    end
  end`;

/** True if workers store positions: front doors read from a standby, and commits do not wait for it. */
export const notesPositions = ({
  readDatabaseUrl,
  readDatabaseSync,
}: Pick<Config, "readDatabaseUrl" | "readDatabaseSync">): boolean =>
  readDatabaseUrl !== undefined && readDatabaseSync === "async";

type Question = Readonly<{ userIds: Set<string>; answer: Promise<ReadonlyMap<string, number>> }>;

export function createWrittenPositions(redis: RedisConnection, queuePrefix: string): WrittenPositions {
  // The braces keep all keys in one slot of a Redis Cluster, so that one command can name many.
  const keyOf = (userId: string) => `{${queuePrefix}}:written:${userId}`;
  let next: Question | undefined;

  async function look(userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const positions = await redis.mget(userIds.map(keyOf));
    return new Map(userIds.map((userId, index) => [userId, Number(positions[index] ?? 0)]));
  }

  /** Simultaneous reads ask together. */
  function open(): Question {
    const userIds = new Set<string>();
    const gathered = new Promise((resolve) => setImmediate(resolve));
    const answer = gathered.then(() => {
      next = undefined;
      return look([...userIds]);
    });
    return { userIds, answer };
  }

  return {
    async note(positions) {
      const keys = [...positions.keys()].map(keyOf);
      if (keys.length > 0)
        await redis.eval(noteAll, keys.length, ...keys, positionsKeptMs, ...positions.values());
    },
    async of(userId) {
      next ??= open();
      next.userIds.add(userId);
      return (await next.answer).get(userId) ?? 0;
    },
  };
}
