import type { BatchTimes } from "./batch-times.ts";

/** So far the clock of a front door may be off (ms) for its times to count. */
const toleranceMs = 600_000;

/**
 * The time that a front door noted (epoch ms), or PostgreSQL's when that is far off: rows lie in partitions
 * by time, and no clock of a door may put one where there is none. The same time again gives the same place.
 */
export const nearPresent = (noted: number, { now, at }: Pick<BatchTimes, "now" | "at">): string =>
  Math.abs(noted - at) < toleranceMs ? new Date(noted).toISOString() : now;
