import type { Simulation } from "./simulation.ts";

/**
 * The numbers of `api/mailbox`: the most commands of a batch, and the number of further batches while that many
 * wait.
 */
const maxBatch = 100;
const maxWhileFull = 3;
/** Microseconds that the next batch waits for the callers of the last one. */
const gatherUs = (tookUs: number): number => Math.min(10_000, Math.max(2_000, tookUs / 2));

type Answer = () => void;
type SendBatch = (answers: readonly Answer[], done: () => void) => void;

/**
 * Gathers commands while a batch is under way.
 * @returns a function that takes a command and a callback for its answer
 */
export function createMailbox({ now, after }: Simulation, send: SendBatch): (answer: Answer) => void {
  const waiting: Answer[] = [];
  const gathering = new Set<{ callers: number; goOn(): void }>();
  let loops = 0;

  const maxLoops = () => 1 + Math.min(maxWhileFull, Math.floor(waiting.length / maxBatch));

  function sendNext() {
    const answers = waiting.splice(0, maxBatch);
    if (answers.length === 0 || loops > maxLoops()) {
      waiting.unshift(...answers);
      loops -= 1;
      return;
    }
    const began = now();
    send(answers, () => {
      if (answers.length === 1) return sendNext();
      const gather = {
        callers: Math.min(answers.length + waiting.length, maxBatch),
        goOn: () => void (gathering.delete(gather) && sendNext()),
      };
      gathering.add(gather);
      after(gatherUs(now() - began), gather.goOn);
    });
  }

  return (answer) => {
    waiting.push(answer);
    for (const { callers, goOn } of gathering) if (waiting.length >= callers) goOn();
    if (loops >= maxLoops() || waiting.length === 0) return;
    loops += 1;
    sendNext();
  };
}
