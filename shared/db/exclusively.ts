import type { Pool } from "pg";

const againMs = 200;

/**
 * Runs `work` in one process at a time. The lock belongs to a transaction, because a lock of a session would stay with
 * the server's connection behind a pooler; the transaction has no other statement, so it holds nothing up.
 * @param taken what to do while another process runs it
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
      await holder.query("set local idle_in_transaction_session_timeout = 0");
      const { rows } = await holder.query("select pg_try_advisory_xact_lock(hashtext($1)) as free", [name]);
      if (rows[0].free) return await work();
    } finally {
      // Closing the connection ends the transaction, also when the server no longer answers.
      holder.release(true);
    }
    if (taken === "skip") return undefined;
    await Bun.sleep(againMs);
  }
}
