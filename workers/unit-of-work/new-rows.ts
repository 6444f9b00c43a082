import { LRUCache } from "lru-cache";
import { invalid, type Refused } from "../../shared/errors.ts";
import type { Queryable } from "./connection.ts";

/** Tables whose rows are numbered from a sequence and counted against a quota. */
export type NumberedTable = "categories" | "habits" | "todos";

/** A row that a command may make. */
export type NewRow = Readonly<{
  userId: string;
  table: NumberedTable;
  hasId?: boolean | undefined;
}>;

/** The most rows of one user: more than anybody needs, but few enough to keep statements short. */
const quotas: Readonly<Record<NumberedTable, number>> = {
  categories: 1_000,
  habits: 2_000,
  todos: 50_000,
};

export type NewRows = ReturnType<typeof openNewRows>;

export type OpenNewRows = () => NewRows;

type Counts = LRUCache<string, { count: number }>;

/** A count below half of the quota is trusted for longer, because additions of other workers still fit. */
const trustedMs = { belowHalf: 60_000, aboveHalf: 1_000 };
const maxKnown = 20_000;

/**
 * Counts the rows of users who create some, at most once a minute each. Counting with every command would cost as
 * much as the command, and exceeding a generous quota by a minute's rows is harmless.
 */
export function createQuotas(): OpenNewRows {
  const known: Counts = new LRUCache({ max: maxKnown, allowStale: true, noDeleteOnStaleGet: true });
  async function learn(connection: Queryable, table: NumberedTable, userIds: string[]): Promise<void> {
    for (const { user_id: userId, count } of await countRows(connection, table, userIds)) {
      const ttl = count < quotas[table] / 2 ? trustedMs.belowHalf : trustedMs.aboveHalf;
      known.set(idOf({ userId, table }), { count }, { ttl });
    }
  }
  return () => openNewRows(known, learn);
}

const idOf = ({ userId, table }: NewRow): string => `${table} ${userId}`;

/** Quotas and ids for the new rows of one transaction. A rollback uses up no quota, and leaves a gap in the ids. */
function openNewRows(
  known: Counts,
  learn: (connection: Queryable, table: NumberedTable, userIds: string[]) => Promise<void>,
) {
  const ids: Record<NumberedTable, number[]> = { categories: [], habits: [], todos: [] };
  let used = new Map<string, number>();
  const isUnknown = (row: NewRow) => !known.has(idOf(row));
  async function reserveIn(connection: Queryable, table: NumberedTable, rows: NewRow[]): Promise<void> {
    const numbered = rows.filter(({ hasId }) => !hasId).length;
    const unknown = new Set(rows.filter(isUnknown).map(({ userId }) => userId));
    const [taken] = await Promise.all([
      numbered > 0 ? takeIds(connection, table, numbered) : [],
      unknown.size > 0 && learn(connection, table, [...unknown]),
    ]);
    ids[table].push(...taken);
  }
  return {
    /** Takes an id for each possible new row, and counts the rows of users whose count is unknown. */
    async reserve(connection: Queryable, rows: readonly NewRow[]): Promise<void> {
      const byTable = Map.groupBy(rows, ({ table }) => table);
      await Promise.all([...byTable].map(([table, some]) => reserveIn(connection, table, some)));
    },
    /** @throws Error when no id was reserved */
    nextId(table: NumberedTable): number {
      const id = ids[table].shift();
      if (id === undefined) throw new Error(`No id of ${table} was reserved.`);
      return id;
    },
    /** Counts one more row. @returns a refusal that says what to do when the quota is used up */
    useQuota(row: NewRow): Refused | undefined {
      const id = idOf(row);
      const own = used.get(id) ?? 0;
      if ((known.get(id)?.count ?? 0) + own >= quotas[row.table]) return usedUp(row);
      used.set(id, own + 1);
      return undefined;
    },
    /**
     * Remembers the used quotas.
     * @returns a function that forgets all later uses
     */
    checkpoint(): () => void {
      const before = new Map(used);
      return () => {
        used = before;
      };
    },
    committed(): void {
      for (const [id, own] of used) {
        const entry = known.get(id);
        if (entry) entry.count += own;
      }
    },
  };
}

const usedUp = ({ table }: NewRow): Refused => {
  const most = quotas[table].toLocaleString("en");
  const reason = `You have ${most} ${table}, the most that one account can have`;
  return invalid({ [table]: [{ reason, next: "delete some first." }] });
};

/**
 * Takes ids inside the transaction, so that they grow with time over all workers. Blocks that workers reserved in
 * advance put new rows into the middle of lists.
 */
async function takeIds(connection: Queryable, table: NumberedTable, count: number): Promise<number[]> {
  const statement = `select nextval('${table}_id_seq') as id from generate_series(1, $1)`;
  const { rows } = await connection.query<{ id: number }>(statement, [count]);
  return rows.map(({ id }) => id);
}

/** Counts no further than the quota. */
async function countRows(connection: Queryable, table: NumberedTable, userIds: readonly string[]) {
  const { rows } = await connection.query<{ user_id: string; count: number }>(
    `select v.user_id, (select count(*) from (select 1 from ${table} t where t.user_id = v.user_id limit $2) t)
       from unnest($1::text[]) v(user_id)`,
    [userIds, quotas[table]],
  );
  return rows;
}
