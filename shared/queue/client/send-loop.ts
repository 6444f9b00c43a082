import type { QueuedCommand } from "../batch.ts";
import { type LineKind, maxBatch, type PendingCommands } from "./pending.ts";
import type { WaitEstimate } from "./wait-estimate.ts";

/**
 * How long the next batch waits for callers just answered, so that they can share it: half of what the last one took
 * (ms), which a slow machine's callers need as well. Without this wait the first of them would leave alone.
 */
const gatherMs = (tookMs: number): number => Math.min(10, Math.max(2, tookMs / 2));
/** A batch unanswered for this long no longer keeps the next from leaving: its worker may be frozen or dead. */
const slowMs = 100;
/** Further batches beside those of BATCHES_IN_FLIGHT: beside slow ones, and while more than fill a batch wait. */
const maxBesideSlow = 3;
const maxWhileFull = 3;

type Options = Readonly<{
  pending: PendingCommands;
  estimate: WaitEstimate;
  batchesInFlight: number;
  /** Resolves when the batch is answered or given up. */
  send(commands: readonly QueuedCommand[]): Promise<unknown>;
}>;

/** @returns a function to call whenever a pending command may be able to leave */
export function createSendLoop({ pending, estimate, batchesInFlight, send }: Options): () => void {
  const loops = { short: 0, long: 0 };
  let underWay = 0;

  const maxLoops = () => batchesInFlight + Math.min(maxWhileFull, Math.floor(pending.size() / maxBatch));

  /** Long lines come first, so that a line that has just become short is not overlooked. */
  function start(): void {
    void sendUntilEmpty("long");
    void sendUntilEmpty("short");
  }

  /** A loop and no recursion, since under steady load it never ends. */
  async function sendUntilEmpty(kind: LineKind): Promise<void> {
    if (loops[kind] >= maxLoops()) return;
    loops[kind] += 1;
    let sent = 0;
    while (loops[kind] <= maxLoops() && underWay < 2 * maxLoops() + maxBesideSlow) {
      const commands = pending.take(maxBatch, kind);
      if (commands.length === 0) break;
      const began = performance.now();
      await sendBatch(commands);
      const callers = Math.min(commands.length + pending.size(), maxBatch);
      const tookMs = performance.now() - began;
      if (commands.length > 1) await pending.filled(callers, gatherMs(tookMs));
      estimate.batchFollowed((performance.now() - began) / loops[kind]);
      sent += 1;
    }
    loops[kind] -= 1;
    if (sent > 0) start();
  }

  /** Resolves with the first answer to the batch, or when it is slow. */
  async function sendBatch(commands: readonly QueuedCommand[]): Promise<void> {
    const began = performance.now();
    const slow = Promise.withResolvers<void>();
    const timer = setTimeout(slow.resolve, slowMs);
    underWay += 1;
    const answered = send(commands).then(() => {
      clearTimeout(timer);
      underWay -= 1;
      estimate.batchAnswered(performance.now() - began);
      start();
    });
    await Promise.race([answered, slow.promise]);
  }

  return start;
}
