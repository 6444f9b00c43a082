import type { Pool, PoolClient } from "pg";

/** Asks one standby for its position, over a connection of its own. */
export type StandbyProbe = Readonly<{
  /**
   * @returns the position up to which the standby has replayed the log (bytes)
   * @throws when it does not answer soon, or is no standby
   */
  ask(): Promise<number>;
  /** Drops the connection; the next question opens another. */
  drop(): void;
  /** @throws when a new connection of the pool leads to another server */
  inspect(connection: PoolClient): Promise<void>;
}>;

const patienceMs = 400;

const serverColumn = "pg_postmaster_start_time()::text as server";
const whereIsIt = `
  select ${serverColumn}, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), $1::pg_lsn)::bigint as replayed
  where pg_is_in_recovery()`;

/**
 * A position belongs to the server that the probe talks to. The address may come to lead to another server, and a
 * restart may throw a server back. So connections to any other server, recognised by its start time, are refused or
 * closed.
 */
export function createProbe(pool: Pool): StandbyProbe {
  const connections = new Set<PoolClient>();
  pool.on("connect", (client) => connections.add(client));
  pool.on("remove", (client) => connections.delete(client));
  let own: Promise<PoolClient> | undefined;
  let server: string | undefined;

  async function ask(): Promise<number> {
    own ??= pool.connect();
    const connecting = own;
    const client = await connecting;
    const { rows } = await client.query<{ server: string; replayed: number }>(whereIsIt, ["0/0"]);
    if (own !== connecting) throw new Error("it answered too late");
    const [found] = rows;
    if (!found) throw new Error("READ_DATABASE_URL leads to a server that is no standby");
    if (found.server !== server) {
      server = found.server;
      for (const other of connections) if (other !== client) other.end().catch(() => {});
    }
    return found.replayed;
  }

  return {
    ask: () => Promise.race([ask(), tooLate()]),
    drop() {
      own?.then((client) => client.release(true)).catch(() => {});
      own = undefined;
      server = undefined;
    },
    async inspect(connection) {
      const { rows } = await connection.query<{ server: string }>(`select ${serverColumn}`);
      if (server !== undefined && rows[0]?.server !== server)
        throw new Error("READ_DATABASE_URL leads to several servers, of which this one is not watched");
    },
  };
}

async function tooLate(): Promise<never> {
  await Bun.sleep(patienceMs);
  // If this process itself was blocked, the answer may have arrived unread.
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error(`it does not answer within ${patienceMs} ms`);
}
