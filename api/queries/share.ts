import { type Refused, refuse } from "../../shared/errors.ts";

/** Runs a read when it is the user's turn, or refuses it after too long a wait. */
export type ShareReads = <Result>(userId: string, read: () => Promise<Result>) => Promise<Result | Refused>;

/**
 * How many reads a user has at a time. A front door has ten connections, so a fourth user can still read while three
 * users have costly reads. A search looks at everything a user has, so the next one waits for it. A network looks up
 * feeds, all together in two connections at most, because these reads travel as one. The identity provider has ten
 * connections, too, of which a network has three.
 */
const atOnce = { reads: 3, searches: 1, lookUps: 64 };
const maxWaiting = 100;
const maxWaitMs = 900;

const overloaded = refuse("overloaded", "You ask for too much at once. Please try again.", {
  applied: "no",
  retryAfterSeconds: 1,
});

type Begin = (mayRun: boolean) => undefined;
type Turns = { running: number; waiting: Begin[] };

/** Allows each user a few reads at a time. Further ones wait in the user's own line, which delays nobody else. */
export function createReadShare(kind: keyof typeof atOnce): ShareReads {
  const turnsOf = new Map<string, Turns>();

  /** @returns false when the line is too long, or did not move in time */
  function turn(turns: Turns): Promise<boolean> | boolean {
    if (turns.running < atOnce[kind]) {
      turns.running += 1;
      return true;
    }
    if (turns.waiting.length >= maxWaiting) return false;
    return new Promise((resolve) => {
      const begin: Begin = (mayRun) => {
        clearTimeout(timer);
        resolve(mayRun);
      };
      const timer = setTimeout(() => {
        turns.waiting.splice(turns.waiting.indexOf(begin), 1);
        begin(false);
      }, maxWaitMs);
      turns.waiting.push(begin);
    });
  }

  /** The read that has waited longest takes over the turn. */
  function end(userId: string, turns: Turns): void {
    const next = turns.waiting.shift();
    next?.(true);
    if (!next) turns.running -= 1;
    if (turns.running === 0) turnsOf.delete(userId);
  }

  return async (userId, read) => {
    const turns = turnsOf.get(userId) ?? { running: 0, waiting: [] };
    turnsOf.set(userId, turns);
    if (!(await turn(turns))) return overloaded;
    try {
      return await read();
    } finally {
      end(userId, turns);
    }
  };
}
