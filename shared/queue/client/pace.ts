/** How fast batches leave and are answered at present, to tell how long a command would wait. */
export type Pace = Readonly<{
  /** A batch was answered, or given up, after `ms`. */
  answered(ms: number): void;
  /** After a batch the next could leave `ms` later. */
  followed(ms: number): void;
  /** Expected milliseconds until the answer for a command with this many batches to leave before its own. */
  wait(batchesAhead: number): number;
}>;

/** The last five or so batches count: one that was slow is forgotten soon. */
const weight = 0.2;

export function createPace(): Pace {
  let answerMs = 0;
  let followMs = 0;
  return {
    answered(ms) {
      answerMs += weight * (ms - answerMs);
    },
    followed(ms) {
      followMs += weight * (ms - followMs);
    },
    wait: (batchesAhead) => batchesAhead * followMs + answerMs,
  };
}
