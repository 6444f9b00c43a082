import type { IdentityContext } from "./accounts/context.ts";
import { prune } from "./prune.ts";

const pruneEveryMs = 60_000;
const newsEveryMs = 5_000;

/**
 * Removes expired rows once a minute, and retries to deliver news.
 * @returns a function that stops both
 */
export function scheduleChores({ pool, log, deliverNews }: IdentityContext): () => void {
  const every = (ms: number, chore: () => Promise<unknown>) => {
    const run = () => chore().catch((error) => log.warn({ reason: String(error) }, "a chore failed"));
    return setInterval(run, ms).unref();
  };
  const timers = [every(pruneEveryMs, () => prune(pool)), every(newsEveryMs, deliverNews)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
