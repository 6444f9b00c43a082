import type { Pool } from "pg";
import type { Log } from "../../shared/process/log.ts";
import { createWriter } from "./outcomes.ts";
import { finish } from "./result-writer.ts";
import { type Attempt, outcomeOf, webhookAttempt } from "./results.ts";
import { recordWebhookAttempts } from "./webhook-health.ts";

type Context = Readonly<{ pool: Pool; log: Log; travel(): string }>;

/** Marks attempts in Postgres, many in one statement; `onMarked` gets each one that stands there. */
export function createMarker({ pool, log, travel }: Context, onMarked: (attempt: Attempt) => void) {
  async function mark(attempts: readonly Attempt[]): Promise<Attempt[]> {
    const held = await finish(pool, travel(), attempts.map(outcomeOf));
    const marked = attempts.filter(({ delivery }) => !held.has(delivery.id));
    marked.forEach(onMarked);
    await recordWebhookAttempts(pool, travel(), marked.flatMap(webhookAttempt)).catch(notWritten);
    return attempts.filter(({ delivery }) => held.has(delivery.id));
  }
  const notWritten = (error: unknown) => log.warn({ reason: String(error) }, "deliveries not marked yet");
  return createWriter(mark, notWritten);
}
