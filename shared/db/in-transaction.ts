import type { Pool, PoolClient } from "pg";

/** Runs `work` in one transaction, which is rolled back when it throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // Closing the connection ends the transaction even if the server no longer answers.
    client.release(true);
    throw error;
  }
}
