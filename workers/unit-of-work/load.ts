import type { PoolClient } from "pg";
import { remember, type State } from "./state.ts";
import type { Rows, Table, TableName, Tables } from "./tables.ts";

/**
 * A row that a command wants loaded. `lock`: to change it. `share`: to refer to it, so that it must stay. `see`: only
 * to look at. Without a key: all rows of the user, which only a command that travels alone may ask for, since it
 * waits for whoever holds one of them.
 */
export type Need = Readonly<{ table: TableName; key?: string | number; mode: "lock" | "share" | "see" }>;

export const lock = (table: TableName, key: string | number): Need => ({ table, key, mode: "lock" });
export const share = (table: TableName, key: string | number | null | undefined): Need[] =>
  key == null ? [] : [{ table, key, mode: "share" }];
export const all = (table: TableName): Need => ({ table, mode: "lock" });
/** A todo with the reminder that hangs on it. */
export const lockTodo = (id: number): Need[] => [lock("todos", id), lock("reminders", id)];

export type UserNeed = Need & Readonly<{ userId: string }>;

export const needId = ({ table, userId, key }: UserNeed): string =>
  (key === undefined ? [table, userId] : [table, userId, key]).join("\u0000");

const strength = { see: 0, share: 1, lock: 2 } as const;

type Batch = { table: Table; mode: Need["mode"]; needs: UserNeed[] };

/**
 * Loads the needed rows into `state`, one query per table and mode, all in one flight, tables and keys in one fixed
 * order. Rows that another transaction holds are skipped, or waited for if `wait` says so.
 * @returns the ids of needs whose row was skipped
 */
export async function load(
  client: PoolClient,
  tables: Tables,
  state: State,
  needs: readonly UserNeed[],
  wait: boolean,
): Promise<Set<string>> {
  const queries = batches(tables, needs).map(async (batch) => {
    const { rows } = await client.query<LoadedRow>(statement(batch, wait), keyArrays(batch));
    const isHeld = (row: LoadedRow) => !wait && batch.mode !== "see" && row.created_at === null;
    for (const row of rows) if (!isHeld(row)) remember(state[batch.table.name] as never, row as never);
    return rows.filter(isHeld).map((row) => idOfRow(batch.table, row));
  });
  return new Set((await Promise.all(queries)).flat());
}

/** Every table whose rows are locked has its time of creation, so that a row without one is a key alone. */
type LoadedRow = Rows[TableName] & { created_at?: string | null };

const idOfRow = ({ name, key }: Table, row: object): string =>
  [name, ...key.map((column) => row[column.name as keyof typeof row])].join("\u0000");

/** Each row once, in its strongest mode, grouped by table in the order of writing and sorted by key. */
function batches(tables: Tables, needs: readonly UserNeed[]): Batch[] {
  const strongest = new Map<string, UserNeed>();
  for (const need of needs) {
    const id = needId(need);
    const known = strongest.get(id);
    if (!known || strength[need.mode] > strength[known.mode]) strongest.set(id, need);
  }
  const grouped = new Map<string, Batch>();
  for (const need of strongest.values()) {
    const group = `${need.table} ${need.mode} ${need.key === undefined}`;
    const batch = grouped.get(group) ?? { table: tables[need.table], mode: need.mode, needs: [] };
    batch.needs.push(need);
    grouped.set(group, batch);
  }
  const order = Object.keys(tables);
  return [...grouped.values()]
    .map((batch) => ({ ...batch, needs: batch.needs.sort(byKey) }))
    .sort((one, other) => order.indexOf(one.table.name) - order.indexOf(other.table.name));
}

function byKey(one: UserNeed, other: UserNeed): number {
  if (one.userId !== other.userId) return one.userId < other.userId ? -1 : 1;
  return (one.key ?? 0) < (other.key ?? 0) ? -1 : 1;
}

function statement({ table, mode, needs }: Batch, wait: boolean): string {
  const { sql, key } = table;
  if (needs[0]?.key === undefined && key.length > 1) return sql.lockAll;
  if (mode === "see") return sql.read;
  if (mode === "share") return wait ? sql.share : sql.shareFree;
  return wait ? sql.lock : sql.lockFree;
}

function keyArrays({ table, needs }: Batch): unknown[][] {
  const users = needs.map(({ userId }) => userId);
  const whole = table.key.length > 1 && needs[0]?.key !== undefined;
  return whole ? [users, needs.map(({ key }) => key)] : [users];
}
