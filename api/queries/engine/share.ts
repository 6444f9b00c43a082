import { refuse } from "../../../shared/errors.ts";
import { createTurns } from "../../../shared/process/turns.ts";

/**
 * Simultaneous reads of a user. A front door has ten connections, so a fourth user can read while three have costly
 * reads; searches run one at a time. Feed look-ups of a network use two connections at most, because they are
 * coalesced. The identity provider gives a network three of its ten.
 */
const atOnce = { reads: 3, searches: 1, lookUps: 64 };
const mostWaitingOfKey = 100;
const patienceMs = 900;

export const tooManyReads = refuse("overloaded", "You ask for too much at once.", {
  next: "Please try again.",
  applied: "no",
  retryAfterSeconds: 1,
});

/** Allows each user a few reads at a time. Further ones wait in the user's own line, which delays nobody else. */
export const readTurns = (kind: keyof typeof atOnce) =>
  createTurns({ atOnceOfKey: atOnce[kind], mostWaitingOfKey, patienceMs });

export const refuseRead = () => tooManyReads;
