import type { PoolClient } from "pg";
import type { QueuedCommand } from "../../shared/queue/batch.ts";

const statement = `
  select v.id, pg_try_advisory_xact_lock(v.lock) as free from unnest($1::text[], $2::bigint[]) v(id, lock)`;

/**
 * Takes the idempotency keys of the commands for this transaction, so that of two repeats at once one runs and the
 * other finds its reply. It never waits. Must be sent before the stored replies are looked up.
 * @returns the ids of commands whose key another transaction holds
 */
export async function lockKeys(
  client: PoolClient,
  commands: readonly QueuedCommand[],
): Promise<ReadonlySet<string>> {
  const ids = commands.flatMap(({ id, fingerprint }) => (fingerprint === null ? [] : [id]));
  if (ids.length === 0) return new Set();
  const { rows } = await client.query<{ id: string; free: boolean }>(statement, [ids, ids.map(lockOf)]);
  return new Set(rows.flatMap(({ id, free }) => (free ? [] : [id])));
}

/** The first half of the id, which is a hash of user and key, as the signed number that PostgreSQL locks by. */
const lockOf = (id: string): string =>
  BigInt.asIntN(64, BigInt(`0x${id.replaceAll("-", "").slice(0, 16)}`)).toString();
