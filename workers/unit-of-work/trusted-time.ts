import type { BatchTimes } from "./batch-times.ts";

/** How far the clock of a front door may be off (ms) for its times to be trusted. */
const toleranceMs = 600_000;

/**
 * Rows lie in partitions by time, and the clock of a front door must not put one where there is no partition.
 * @returns the time that a front door noted (epoch ms), or PostgreSQL's when the two are far apart
 */
export const trustedTime = (noted: number, { now, nowMs }: Pick<BatchTimes, "now" | "nowMs">): string =>
  Math.abs(noted - nowMs) < toleranceMs ? new Date(noted).toISOString() : now;
