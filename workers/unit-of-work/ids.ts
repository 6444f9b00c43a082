import type { PoolClient } from "pg";

/** Tables whose rows are numbered from a sequence. */
const numbered = ["categories", "habits", "todos"] as const;
export type NumberedTable = (typeof numbered)[number];

/** The ids that one transaction took, in the order in which its commands use them. */
export type Ids = Readonly<{
  /** Takes one id for each mention of a table, with the queries under way. */
  reserve(client: PoolClient, tables: readonly NumberedTable[]): Promise<void>;
  /** @throws Error when none was reserved */
  next(table: NumberedTable): number;
}>;

/**
 * Taken inside the transaction, so that ids grow with time over all workers: blocks kept by each worker put
 * new rows into the middle of lists. What a rollback leaves unused is a gap.
 */
export function createIds(): Ids {
  const free: Record<NumberedTable, number[]> = { categories: [], habits: [], todos: [] };
  async function take(client: PoolClient, table: NumberedTable, count: number): Promise<void> {
    const statement = `select nextval('${table}_id_seq') as id from generate_series(1, $1)`;
    const { rows } = await client.query<{ id: number }>(statement, [count]);
    free[table].push(...rows.map(({ id }) => id));
  }
  return {
    async reserve(client, tables) {
      const counted = numbered.map((table) => [table, tables.filter((one) => one === table).length] as const);
      await Promise.all(
        counted.map(([table, count]) => (count > 0 ? take(client, table, count) : undefined)),
      );
    },
    next(table) {
      const id = free[table].shift();
      if (id === undefined) throw new Error(`No id of ${table} was reserved.`);
      return id;
    },
  };
}
