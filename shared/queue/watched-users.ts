import { Type } from "typebox";
import { Compile } from "typebox/compile";

/**
 * Front doors say on this channel, again and again, whose pages are open at present. So workers know for whom a word
 * about a change is worth sending, and while nobody watches a change costs them nothing more.
 */
export const watchedChannel = (queuePrefix: string): string => `${queuePrefix}:watched`;

/** Workers say here that something was committed for users who are watched. What is lost here does no harm. */
export const changedChannel = (queuePrefix: string): string => `${queuePrefix}:changed`;

/** Milliseconds between a front door's announcements, and for how long each holds. */
export const sayWatchedMs = 5_000;
export const watchedForMs = 3 * sayWatchedMs;

const userIds = Compile(Type.Array(Type.String()));

/** The message on either channel. */
export const writeUsers = (ids: Iterable<string>): string => JSON.stringify([...ids]);

/** @returns nobody for a message of another form */
export function readUsers(text: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text);
    return userIds.Check(ids) ? ids : [];
  } catch {
    return [];
  }
}
