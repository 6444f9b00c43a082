/** How fast batches leave and are answered at present, to tell how long a command would wait. */
export type WaitEstimate = Readonly<{
  /** A batch was answered, or given up, after `ms`. */
  batchAnswered(ms: number): void;
  /** After a batch the next could leave `ms` later. */
  batchFollowed(ms: number): void;
  /** Expected milliseconds until the answer for a command with this many batches to leave before its own. */
  expected(batchesAhead: number): number;
}>;

/** The last five or so batches count: one that was slow is forgotten soon. */
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
    expected: (batchesAhead) => batchesAhead * followMs + answerMs,
  };
}
