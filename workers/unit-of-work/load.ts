import type { Queryable } from "./connection.ts";
import { keyParts, type RowRequest, requestId, type UserRowRequest } from "./row-request.ts";
import { forget, remember, type State } from "./state.ts";
import type { Rows, Table, TableMap, TableName } from "./table.ts";

/** Whether to wait for rows that another transaction has locked, or to leave them out. */
export type OnLocked = "skip" | "wait";

const strength = { none: 0, "key share": 1, update: 2 } as const;

/** The requests that one statement answers. */
type Group = { table: Table; lock: RowRequest["lock"]; requests: UserRowRequest[] };

/**
 * Loads the requested rows into `state`: one query per table and lock, all sent at once, tables and keys in one fixed
 * order, so that two transactions never wait for each other in a circle.
 * @returns the ids of requests whose row was skipped because another transaction has locked it
 */
export async function load(
  connection: Queryable,
  tables: TableMap,
  state: State,
  requests: readonly UserRowRequest[],
  onLocked: OnLocked,
): Promise<Set<string>> {
  const queries = groups(tables, requests).map(async (group) => {
    const { table, lock } = group;
    const { rows } = await connection.query<LoadedRow>(statement(group, onLocked), keyArrays(group));
    const isSkipped = (row: LoadedRow) => onLocked === "skip" && lock !== "none" && row.created_at === null;
    const skipped = new Set(rows.filter(isSkipped).map((row) => idOfRow(table, row)));
    const mayBeKnown = lock !== "none" && state[table.name].entries.size > 0;
    for (const request of mayBeKnown ? group.requests : [])
      if (!skipped.has(requestId(request)))
        forget(state[table.name] as never, [request.userId, ...keyParts(request.key)]);
    for (const row of rows) if (!isSkipped(row)) remember(state[table.name] as never, row as never);
    return [...skipped];
  });
  return new Set((await Promise.all(queries)).flat());
}

/** Every table whose rows are locked has a time of creation, so a row without one is the key of a skipped row. */
type LoadedRow = Rows[TableName] & { created_at?: string | null };

/** The same id as `requestId` gives to the request for the row. */
const idOfRow = ({ name, key }: Table, row: object): string =>
  [name, ...key.map((column) => row[column.name as keyof typeof row])].join("\u0000");

/** Each row once, with its strongest lock, grouped by table in the order of writing and sorted by key. */
function groups(tables: TableMap, requests: readonly UserRowRequest[]): Group[] {
  const strongest = new Map<string, UserRowRequest>();
  for (const request of requests) {
    const id = requestId(request);
    const known = strongest.get(id);
    if (!known || strength[request.lock] > strength[known.lock]) strongest.set(id, request);
  }
  const grouped = new Map<string, Group>();
  for (const request of strongest.values()) {
    const { table, lock, key } = request;
    const id = `${table} ${lock} ${key === undefined}`;
    const group = grouped.get(id) ?? { table: tables[table], lock, requests: [] };
    group.requests.push(request);
    grouped.set(id, group);
  }
  const order = Object.keys(tables);
  return [...grouped.values()]
    .map((group) => ({ ...group, requests: group.requests.sort(byKey) }))
    .sort((one, other) => order.indexOf(one.table.name) - order.indexOf(other.table.name));
}

function byKey(one: UserRowRequest, other: UserRowRequest): number {
  if (one.userId !== other.userId) return one.userId < other.userId ? -1 : 1;
  if (typeof one.key !== "object" && typeof other.key !== "object")
    return (one.key ?? 0) < (other.key ?? 0) ? -1 : 1;
  const others = keyParts(other.key);
  for (const [index, part] of keyParts(one.key).entries()) {
    const counterpart = others[index] ?? 0;
    if (part !== counterpart) return part < counterpart ? -1 : 1;
  }
  return 0;
}

function statement({ table, lock, requests }: Group, onLocked: OnLocked): string {
  const { sql, key } = table;
  if (requests[0]?.key === undefined && key.length > 1)
    return lock === "none" ? sql.readAll : sql.allForUpdate;
  if (lock === "none") return sql.read;
  if (lock === "key share") return onLocked === "wait" ? sql.forKeyShare : sql.forKeyShareSkipLocked;
  return onLocked === "wait" ? sql.forUpdate : sql.forUpdateSkipLocked;
}

function keyArrays({ requests }: Group): unknown[] {
  const [first] = requests;
  const users = requests.map(({ userId }) => userId);
  if (first?.key === undefined) return [users];
  if (typeof first.key !== "object") return [users, requests.map(({ key }) => key)];
  const columns = first.key.map((_, index) => requests.map(({ key }) => keyParts(key)[index]));
  return [users, ...columns];
}
