const seconds = 1_000;
const minutes = 60 * seconds;

/** The waits after the first, second, … failed attempt: six attempts within an hour and a quarter. */
const waits = [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 60 * minutes];

/**
 * The wait after the given number of attempts, with up to a fifth more, so that deliveries that failed together do not
 * retry together.
 * @returns undefined when no further attempt is made
 */
export function retryAfterMs(attempts: number): number | undefined {
  const wait = waits[attempts - 1];
  return wait === undefined ? undefined : wait * (1 + Math.random() / 5);
}
