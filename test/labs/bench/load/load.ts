import { percentile } from "../../../support/flood.ts";
import { keepBusy, type Sequence } from "./connection.ts";

/** The order that the bench gives this process as an argument (JSON). */
export type Load = Readonly<{
  port: number;
  /** Ports of further front doors, which share the connections. */
  otherPorts?: readonly number[] | undefined;
  connections: number;
  warmUpSeconds: number;
  seconds: number;
  sequences: readonly Sequence[];
}>;

/** The messages that the bench gets back: when the measured time begins and ends, then the figures. */
export type LoadMessage = "begin" | "end" | Measured;

export type Measured = Readonly<{
  requests: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers by status code. */
  statuses: Record<string, number>;
}>;

/** Sends as fast as the connections allow. It is a process of its own, so that its work does not count as the bench's. */
async function generate(load: Load, tell: (message: LoadMessage) => void): Promise<void> {
  const { port, otherPorts = [], connections, warmUpSeconds, seconds, sequences } = load;
  const ports = [port, ...otherPorts];
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let phase: "warming" | "measuring" | "over" = "warming";
  let taken = 0;

  const next = () => (phase === "over" ? undefined : sequences[taken++ % sequences.length]);
  const onAnswer = (status: string, milliseconds: number) => {
    if (phase !== "measuring") return;
    latencies.push(milliseconds);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const keepOneBusy = (index: number) =>
    keepBusy({ port: ports[index % ports.length] ?? port, next, onAnswer });
  const all = Promise.all(Array.from({ length: connections }, (_, index) => keepOneBusy(index)));
  await Promise.race([all, Bun.sleep(warmUpSeconds * 1000)]);
  phase = "measuring";
  tell("begin");
  await Promise.race([all, Bun.sleep(seconds * 1000)]);
  phase = "over";
  tell("end");
  await all;
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  tell({ requests: latencies.length, p50, p99, statuses });
}

if (import.meta.main) {
  const load = (await Bun.stdin.json()) as Load;
  await generate(load, (message) => process.send?.(message));
  process.disconnect?.();
}
