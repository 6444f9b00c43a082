import type { PoolClient } from "pg";
import type { NumberedTable } from "./ids.ts";

/** The most rows that one user can have: so many that nobody meets it, so few that no statement is long. */
export const quotas: Readonly<Record<NumberedTable, number>> = {
  categories: 1_000,
  habits: 2_000,
  todos: 50_000,
};

export type Wanted = Readonly<{ userId: string; table: NumberedTable }>;

export type Quotas = Readonly<{
  /** Learns how many rows these users have, unless that is known well enough. */
  learn(client: PoolClient, wanted: readonly Wanted[]): Promise<void>;
  /** Takes the room of one row. @returns false when there is none left */
  take(wanted: Wanted): boolean;
}>;

type Known = { count: number; until: number };

/** A count is trusted for a minute while most of the room is free: what other workers add meanwhile fits in. */
const trustedMs = { far: 60_000, near: 1_000 };
const maxKnown = 20_000;

/**
 * Counts the rows of users who create some, each at most once a minute: quotas are generous, so that an overrun
 * by what a minute can bring is harmless, and counting with each command would cost as much as the command.
 */
export function createQuotas(): Quotas {
  const known = new Map<string, Known>();
  const idOf = ({ userId, table }: Wanted): string => `${table} ${userId}`;

  async function count(client: PoolClient, table: NumberedTable, userIds: readonly string[]): Promise<void> {
    const { rows } = await client.query<{ user_id: string; count: number }>(
      `select v.user_id, (select count(*) from (select 1 from ${table} t where t.user_id = v.user_id limit $2) t)
       from unnest($1::text[]) v(user_id)`,
      [userIds, quotas[table]],
    );
    for (const { user_id: userId, count } of rows) {
      const { far, near } = trustedMs;
      const until = performance.now() + (count < quotas[table] / 2 ? far : near);
      known.set(idOf({ userId, table }), { count, until });
    }
    for (const id of known.keys()) {
      if (known.size <= maxKnown) break;
      known.delete(id);
    }
  }

  return {
    async learn(client, wanted) {
      const unknown = wanted.filter((one) => !((known.get(idOf(one))?.until ?? 0) > performance.now()));
      const byTable = Map.groupBy(unknown, ({ table }) => table);
      const counts = [...byTable].map(([table, some]) =>
        count(client, table, [...new Set(some.map(({ userId }) => userId))]),
      );
      await Promise.all(counts);
    },
    take(wanted) {
      const entry = known.get(idOf(wanted));
      if (!entry) return true;
      if (entry.count >= quotas[wanted.table]) return false;
      entry.count += 1;
      return true;
    },
  };
}
