/** Estimates how long a new command would wait for its answer, from how fast batches leave and are answered. */
export type WaitEstimate = Readonly<{
  /** Notes that a batch was answered, or given up, after `ms`. */
  batchAnswered(ms: number): void;
  /** Notes that the next batch could leave `ms` after one. */
  batchFollowed(ms: number): void;
  /** Expected milliseconds until the answer for a command that leaves after this many batches. */
  answerIn(batchesAhead: number): number;
}>;

/** About the last five batches count, so one slow batch is soon forgotten. */
const weight = 0.2;

export function createWaitEstimate(): WaitEstimate {
  let answerMs = 0;
  let followMs = 0;
  return {
    batchAnswered(ms) {
      answerMs += weight * (ms - answerMs);
    },
    batchFollowed(ms) {
      followMs += weight * (ms - followMs);
    },
    answerIn: (batchesAhead) => batchesAhead * followMs + answerMs,
  };
}
