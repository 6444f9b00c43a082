import type { Database } from "../shared/db/orm.ts";
import type { Mailbox } from "./mailbox.ts";

export type Health = Readonly<{ status: "ok" | "unavailable"; missing: string[] }>;

const patienceMs = 1_500;

/** Ready: Postgres answers, and a worker answers through Redis. */
export async function checkHealth(
  database: Database,
  mailbox: Mailbox,
  redis: { ping(): Promise<unknown> },
): Promise<Health> {
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
