import type { Config } from "../process/config.ts";

/** One prefix for each lane; there is at least one. */
type Lanes<Lane> = readonly [Lane, ...Lane[]];

/**
 * With several lanes, commands travel over as many queues, which a Redis Cluster spreads over its masters. All commands
 * of a user take the same lane, which keeps their order.
 */
export const laneOf = <Lane>(lanes: Lanes<Lane>, userId: string): Lane =>
  lanes[Bun.hash.crc32(userId) % lanes.length] ?? lanes[0];

/** @returns the prefix of each lane's keys; that of the first is the same with any number of lanes */
export const lanePrefixes = ({
  queuePrefix,
  queueLanes,
}: Pick<Config, "queuePrefix" | "queueLanes">): Lanes<string> => [
  queuePrefix,
  ...Array.from({ length: queueLanes - 1 }, (_, index) => `${queuePrefix}:${index + 1}`),
];
