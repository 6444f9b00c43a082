import { percentile } from "../../../support/flood.ts";
import { connectRaw } from "../../../support/raw.ts";

/** Raw HTTP requests, each sent after the answer to the previous one. */
export type Sequence = readonly string[];

/** The order that the bench gives this process as an argument (JSON). */
export type Load = Readonly<{
  port: number;
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
  const { port, connections, warmUpSeconds, seconds, sequences } = load;
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let phase: "warming" | "measuring" | "over" = "warming";
  let taken = 0;

  /** One request at a time. An HTTP library would cost as much as the measured server. */
  async function keepBusy(): Promise<void> {
    const connection = await connectRaw(port);
    while (phase !== "over")
      for (const request of sequences[taken++ % sequences.length] ?? []) {
        const sentAt = performance.now();
        const status = await connection.exchange(request);
        if (status === "cut") throw new Error("The server ended a connection.");
        if (phase !== "measuring") continue;
        latencies.push(performance.now() - sentAt);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    connection.close();
  }

  const all = Promise.all(Array.from({ length: connections }, keepBusy));
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
