import type { Pool } from "pg";

/** Tables whose ids come from a sequence that counts in blocks. */
const numbered = ["categories", "habits", "todos"] as const;
export type NumberedTable = (typeof numbered)[number];

const blockSize = 100;
/** Taken at once: under load, an envelope would wait for every second block. */
const blocks = 10;

/** The ids of one envelope: handlers answer with final rows, before anything is written. */
export type ReservedIds = Readonly<{ next(table: NumberedTable): number; giveBack(): void }>;

/** Takes `count` ids of every table. Done before BEGIN: inside it the pool would starve. */
export type ReserveIds = (count: number) => Promise<ReservedIds>;

export function createIds(pool: Pool): ReserveIds {
  const free: Record<NumberedTable, number[]> = { categories: [], habits: [], todos: [] };
  return async (count) => {
    const reserved: Record<NumberedTable, number[]> = { categories: [], habits: [], todos: [] };
    for (const table of numbered) {
      while (free[table].length < count) free[table].push(...(await nextIds(pool, table)));
      reserved[table] = free[table].splice(0, count);
    }
    return {
      next(table) {
        const id = reserved[table].shift();
        if (id === undefined) throw new Error(`No id of ${table} was reserved.`);
        return id;
      },
      giveBack() {
        for (const table of numbered) free[table].unshift(...reserved[table].splice(0));
      },
    };
  };
}

async function nextIds(pool: Pool, table: NumberedTable): Promise<number[]> {
  const { rows } = await pool.query<{ first: number }>(
    `select nextval('${table}_id_seq') as first from generate_series(1, ${blocks})`,
  );
  return rows.flatMap(({ first }) => Array.from({ length: blockSize }, (_, index) => first + index));
}
