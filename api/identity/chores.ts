import type { IdentityContext } from "./accounts/context.ts";
import { prune } from "./prune.ts";

const MINUTE_MS = 60_000;
const NEWS_MS = 5_000;

/** Prunes once a minute, and tries again to tell the service what it has not heard. Returns what stops both. */
export function scheduleChores({ pool, log, deliverNews }: IdentityContext): () => void {
  const every = (ms: number, chore: () => Promise<unknown>) => {
    const run = () => chore().catch((error) => log.warn({ reason: String(error) }, "a chore failed"));
    return setInterval(run, ms).unref();
  };
  const timers = [every(MINUTE_MS, () => prune(pool)), every(NEWS_MS, deliverNews)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
