import { Type } from "typebox";
import { Compile } from "typebox/compile";

/**
 * On this channel front doors repeat which users have open pages. So workers announce only changes that somebody
 * watches, and other changes cost nothing more.
 */
export const watchedChannel = (queuePrefix: string): string => `${queuePrefix}:watched`;

/** On this channel workers announce commits for watched users. A lost message does no harm. */
export const changedChannel = (queuePrefix: string): string => `${queuePrefix}:changed`;

/** Milliseconds between a front door's announcements, and the time for which each holds. */
export const sayWatchedMs = 5_000;
export const watchedForMs = 3 * sayWatchedMs;

const userIds = Compile(Type.Array(Type.String()));

export const writeUsers = (ids: Iterable<string>): string => JSON.stringify([...ids]);

/** @returns nobody for a malformed message */
export function readUsers(text: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text);
    return userIds.Check(ids) ? ids : [];
  } catch {
    return [];
  }
}
