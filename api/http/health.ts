import type { Database } from "../../shared/db/orm.ts";
import type { Mailbox } from "../../shared/queue/client/mailbox.ts";

export type Health = Readonly<{ status: "ok" | "unavailable"; missing: string[] }>;

/** The health of a door that is about to stop: it still serves requests, but should get no more of them. */
export const leaving: Health = { status: "unavailable", missing: ["front door"] };

type Checked = Readonly<{ database: Database; mailbox: Mailbox; redis: { ping(): Promise<unknown> } }>;

const patienceMs = 1_500;
const maxAgeMs = 1_000;

/**
 * Checks whether this door can serve, at most once a second: anybody may ask, and each check costs a job and a
 * transaction.
 */
export function createHealthCheck(checked: Checked): () => Promise<Health> {
  let latest: Promise<Health> | undefined;
  let since = 0;
  return () => {
    if (!latest || performance.now() - since > maxAgeMs) {
      since = Number.POSITIVE_INFINITY;
      latest = checkAll(checked).finally(() => {
        since = performance.now();
      });
    }
    return latest;
  };
}

/** A door is ready when Postgres answers, and a worker answers through Redis. */
async function checkAll({ database, mailbox, redis }: Checked): Promise<Health> {
  const checks = {
    postgres: database.pool.query("select 1").then(() => true),
    redis: redis.ping().then(() => true),
    worker: mailbox.ping(),
  };
  const answers = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const late = Bun.sleep(patienceMs).then(() => false);
      const answered = await Promise.race([check.catch(() => false), late]);
      return answered ? [] : [name];
    }),
  );
  const missing = answers.flat();
  return { status: missing.length === 0 ? "ok" : "unavailable", missing };
}
