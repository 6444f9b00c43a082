import type { IdentityContext } from "./accounts/context.ts";
import { mailTokenEndings } from "./accounts/tokens/endings.ts";
import { sendNotices } from "./notices/notices.ts";
import { prune } from "./prune.ts";

const pruneEveryMs = 60_000;
const endingsEveryMs = 10 * 60_000;
const newsEveryMs = 5_000;

/**
 * Removes expired rows once a minute, mails people about tokens that end soon, and delivers waiting news.
 * @returns a function that stops all of it
 */
export function scheduleChores(identity: IdentityContext): () => void {
  const { pool, log, deliverNews } = identity;
  const every = (ms: number, chore: () => Promise<unknown>) => {
    const run = () => chore().catch((error) => log.warn({ reason: String(error) }, "a chore failed"));
    return setInterval(run, ms).unref();
  };
  const timers = [
    every(pruneEveryMs, () => prune(pool)),
    every(endingsEveryMs, () => mailTokenEndings(identity)),
    every(newsEveryMs, deliverNews),
    every(newsEveryMs, () => sendNotices(identity)),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
