import type { Queryable } from "./connection.ts";

/** Tables whose rows are numbered from a sequence. */
export type NumberedTable = "categories" | "habits" | "todos";

/** Ids for the rows that one transaction makes, in the order in which its commands use them. */
export type Ids = Readonly<{
  /** Takes one id for each row that may be made. */
  reserve(connection: Queryable, rows: readonly Readonly<{ table: NumberedTable }>[]): Promise<void>;
  /** @throws Error when none was reserved */
  next(table: NumberedTable): number;
}>;

/**
 * Takes ids inside the transaction, so that they grow with time over all workers: blocks that each worker reserved
 * in advance put new rows into the middle of lists. A rollback leaves a gap.
 */
export function createIds(): Ids {
  const free: Record<NumberedTable, number[]> = { categories: [], habits: [], todos: [] };
  async function take(connection: Queryable, table: NumberedTable, count: number): Promise<void> {
    const statement = `select nextval('${table}_id_seq') as id from generate_series(1, $1)`;
    const { rows } = await connection.query<{ id: number }>(statement, [count]);
    free[table].push(...rows.map(({ id }) => id));
  }
  return {
    async reserve(connection, rows) {
      const byTable = Map.groupBy(rows, ({ table }) => table);
      await Promise.all([...byTable].map(([table, some]) => take(connection, table, some.length)));
    },
    next(table) {
      const id = free[table].shift();
      if (id === undefined) throw new Error(`No id of ${table} was reserved.`);
      return id;
    },
  };
}
