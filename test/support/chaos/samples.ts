import type { Answer } from "../../harness.ts";
import { percentile } from "../flood.ts";

/** The result of one call: its status, with `applied` if it has one, or `failed` without an answer. */
export type Sample = Readonly<{ outcome: string; ms: number; startedAt: number }>;

export async function sample(call: () => Promise<Answer>): Promise<Sample> {
  const startedAt = performance.now();
  const outcome = await call().then(outcomeOf, () => "failed");
  return { outcome, ms: performance.now() - startedAt, startedAt };
}

const outcomeOf = ({ status, body }: Answer): string =>
  body?.applied === undefined ? String(status) : `${status} ${body.applied}`;

export const succeeded = ({ outcome }: Sample): boolean => outcome.startsWith("2");

/** Clients that call repeatedly with a pause, until the returned function stops them. */
export function keepCalling(
  clients: number,
  pauseMs: number,
  call: (client: number) => Promise<Answer>,
): () => Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  const all = Array.from({ length: clients }, async (_, client) => {
    await Bun.sleep((pauseMs * client) / clients);
    while (!over) {
      samples.push(await sample(() => call(client)));
      await Bun.sleep(pauseMs);
    }
  });
  return async () => {
    over = true;
    await Promise.all(all);
    return samples;
  };
}

export const msAt = (samples: readonly Sample[], share: number): number =>
  percentile(
    samples.map(({ ms }) => ms),
    share,
  );

/** Counts the statuses, such as "1,200 × 201, 3 × 503 no". */
export function tally(samples: readonly Sample[]): string {
  const counts = Map.groupBy(samples, ({ outcome }) => outcome);
  return [...counts].map(([outcome, { length }]) => `${length} × ${outcome}`).join(", ") || "none";
}

/** Formats latencies, such as "p50 4 ms, p99 12 ms". */
export const times = (samples: readonly Sample[]): string =>
  `p50 ${msAt(samples, 0.5).toFixed(0)} ms, p99 ${msAt(samples, 0.99).toFixed(0)} ms`;
