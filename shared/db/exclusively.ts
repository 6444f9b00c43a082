import type { Pool } from "pg";

const againMs = 200;

/**
 * Runs `work` in one process at a time. The lock belongs to a transaction, because behind a pooler a session's lock
 * would stay with the server's connection. The transaction has no other statement, so it holds up nothing.
 * @param taken what to do while another process has the lock
 * @returns undefined when it was skipped
 */
export async function exclusively<Result>(
  pool: Pick<Pool, "connect">,
  { name, taken }: Readonly<{ name: string; taken: "wait" | "skip" }>,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  for (;;) {
    const holder = await pool.connect();
    try {
      await holder.query("begin");
      const { rows } = await holder.query("select pg_try_advisory_xact_lock(hashtext($1)) as free", [name]);
      // This statement also ends the snapshot of the one before, for which the building of an index would wait.
      await holder.query("set local idle_in_transaction_session_timeout = 0");
      if (rows[0].free) return await work();
    } finally {
      // Closing the connection ends the transaction, also when the server no longer answers.
      holder.release(true);
    }
    if (taken === "skip") return undefined;
    await Bun.sleep(againMs);
  }
}
