import type { Pool } from "pg";
import { type PushKeys, readSecret } from "./shared-secrets.ts";

/** Secrets that front doors and workers share, each read at its first use. */
export type ReminderSecrets = Readonly<{
  /** Keys for links in reminders: the first one signs new links. */
  linkKeys(): Promise<readonly [string, ...string[]]>;
  pushKeys(): Promise<PushKeys>;
}>;

export const openReminderSecrets = (pool: Pick<Pool, "query">): ReminderSecrets => ({
  linkKeys: once(() => readSecret(pool, "reminder-links")),
  pushKeys: once(() => readSecret(pool, "push")),
});

/** Reads a value at its first use, and forgets a failure. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read().catch((error) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}
