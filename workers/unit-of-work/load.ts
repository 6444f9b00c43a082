import type { PoolClient } from "pg";
import { isKnown, remember, type State } from "./state.ts";
import type { Rows, Table, TableName, Tables } from "./tables.ts";

/**
 * A row that a command wants loaded. `lock`: to change it; the command steps aside while another
 * transaction holds it. `wait`: to change it, waiting for the holder. `see`: only to look at.
 * Without a key: all rows of the user.
 */
export type Need = Readonly<{ table: TableName; key?: string | number; mode: "lock" | "wait" | "see" }>;

export const lock = (table: TableName, key: string | number): Need => ({ table, key, mode: "lock" });
export const see = (table: TableName, key: string | number | null | undefined): Need[] =>
  key == null ? [] : [{ table, key, mode: "see" }];
export const all = (table: TableName): Need => ({ table, mode: "wait" });
/** A todo with the reminder that hangs on it. */
export const lockTodo = (id: number): Need[] => [
  lock("todos", id),
  { table: "reminders", key: id, mode: "wait" },
];

export type UserNeed = Need & Readonly<{ userId: string }>;

export const needId = (need: UserNeed): string => [need.table, need.userId, need.key].join("\u0000");

const strength = { see: 0, wait: 1, lock: 2 } as const;

type Batch = { table: Table; mode: Need["mode"]; needs: UserNeed[] };

/**
 * Loads the needed rows into `state`, one query per table and mode, all in one flight, tables and keys in
 * one fixed order so that transactions cannot deadlock.
 * @returns the ids of needs whose row another transaction holds; empty unless `stepAside`
 */
export async function load(
  client: PoolClient,
  tables: Tables,
  state: State,
  needs: readonly UserNeed[],
  stepAside: boolean,
): Promise<Set<string>> {
  const queries = batches(tables, needs).map(async (batch) => {
    const { rows } = await client.query<Rows[TableName]>(statement(batch, stepAside), keyArrays(batch));
    for (const row of rows) remember(state[batch.table.name] as never, row as never);
    const short = stepAside && batch.mode === "lock" && rows.length < batch.needs.length;
    return short ? [batch] : [];
  });
  const short = (await Promise.all(queries)).flat();
  const busy = await Promise.all(short.map((batch) => findBusy(client, state, batch)));
  return new Set(busy.flat());
}

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

function statement({ table, mode, needs }: Batch, stepAside: boolean): string {
  if (needs[0]?.key === undefined && table.key.length > 1) return table.sql.lockAll;
  if (mode === "see") return table.sql.read;
  return mode === "lock" && stepAside ? table.sql.lockFree : table.sql.lock;
}

/** Of the rows that a skipping lock did not return, those that exist are held by someone else. */
async function findBusy(client: PoolClient, state: State, { table, needs }: Batch): Promise<string[]> {
  const absent = needs.filter(
    ({ userId, key }) => !isKnown(state[table.name], [userId, ...(key === undefined ? [] : [key])]),
  );
  if (absent.length === 0) return [];
  const { rows } = await client.query(table.sql.read, keyArrays({ table, mode: "see", needs: absent }));
  const found = rows.map((row: Record<string, unknown>) =>
    table.key.map(({ name }) => row[name]).join("\u0000"),
  );
  return absent.filter(({ userId, key }) => found.includes([userId, key].join("\u0000"))).map(needId);
}

function keyArrays({ table, needs }: Batch): unknown[][] {
  const users = needs.map(({ userId }) => userId);
  const whole = table.key.length > 1 && needs[0]?.key !== undefined;
  return whole ? [users, needs.map(({ key }) => key)] : [users];
}
