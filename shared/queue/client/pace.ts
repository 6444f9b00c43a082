/** How fast envelopes leave and are answered at present, to tell how long a command would wait. */
export type Pace = Readonly<{
  /** An envelope was answered, or given up, after `ms`. */
  answered(ms: number): void;
  /** After an envelope the next could leave `ms` later. */
  followed(ms: number): void;
  /** Expected milliseconds until the answer for a command with this many envelopes to leave before its own. */
  wait(envelopesAhead: number): number;
}>;

/** The last five or so envelopes count: one that was slow is forgotten soon. */
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
    wait: (envelopesAhead) => envelopesAhead * followMs + answerMs,
  };
}
