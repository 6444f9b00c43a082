import type { Queryable } from "./connection.ts";
import { type RowRequest, requestId, type UserRowRequest } from "./row-request.ts";
import { forget, keyOfRow, remember, type State } from "./state.ts";
import { isView, tables, views } from "./tables.ts";

/** The treatment of rows locked by another transaction: wait, or leave them out. */
export type OnLocked = "skip" | "wait";

const strength = { none: 0, "key share": 1, update: 2 } as const;

type Group = Readonly<{
  name: RowRequest["table"];
  lock: RowRequest["lock"];
  requests: UserRowRequest[];
}>;

/**
 * Loads the requested rows into `state` by one query per table and lock. All are sent at once, with tables and keys
 * in one fixed order, so that two transactions never wait for each other in a circle.
 */
export async function load(
  connection: Queryable,
  state: State,
  requests: readonly UserRowRequest[],
  onLocked: OnLocked,
): Promise<void> {
  const { skipped } = state;
  const queries = groups(requests).map(async (group) => {
    const { name, lock } = group;
    const { rows } = await connection.query<LoadedRow>(statement(state, group, onLocked), keyArrays(group));
    const isSkipped = (row: LoadedRow) => onLocked === "skip" && lock !== "none" && row.created_at === null;
    for (const row of rows.filter(isSkipped)) skipped.add(idOfRow(state, name, row));
    const mayBeKnown = lock !== "none" && (state.entries.get(name)?.size ?? 0) > 0;
    for (const request of mayBeKnown ? group.requests : [])
      if (!skipped.has(requestId(request))) forget(state, name, [request.userId, ...(request.key ?? [])]);
    for (const row of rows) if (!isSkipped(row)) remember(state, name, row);
  });
  await Promise.all(queries);
}

/** Every table whose rows are locked has a time of creation, so a row without one is the key of a skipped row. */
type LoadedRow = { created_at?: string | null };

/** The same id as `requestId` gives to the request for the row. */
const idOfRow = (state: State, name: Group["name"], row: object): string =>
  [name, ...keyOfRow(state, name, row)].join("\u0000");

const order = Object.keys({ ...tables, ...views });

/** Each row once, with its strongest lock, grouped by table in the order of writing and sorted by key. */
function groups(requests: readonly UserRowRequest[]): Group[] {
  if (requests.length === 0) return [];
  const strongest = new Map<string, UserRowRequest>();
  for (const request of requests) {
    const id = requestId(request);
    const known = strongest.get(id);
    if (!known || strength[request.lock] > strength[known.lock]) strongest.set(id, request);
  }
  const grouped = new Map<string, Group>();
  for (const request of strongest.values()) {
    const { table: name, lock, key } = request;
    const id = `${name} ${lock} ${key === undefined}`;
    const group = grouped.get(id) ?? { name, lock, requests: [] };
    group.requests.push(request);
    grouped.set(id, group);
  }
  for (const { requests } of grouped.values()) requests.sort(byKey);
  return [...grouped.values()].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

function byKey(one: UserRowRequest, other: UserRowRequest): number {
  if (one.userId !== other.userId) return one.userId < other.userId ? -1 : 1;
  for (const [index, part] of (one.key ?? []).entries()) {
    const counterpart = other.key?.[index] ?? 0;
    if (part !== counterpart) return part < counterpart ? -1 : 1;
  }
  return 0;
}

function statement({ tables }: State, { name, lock, requests: [first] }: Group, onLocked: OnLocked): string {
  if (isView(name)) return views[name].read;
  const { sql, key } = tables[name];
  if (first?.key === undefined && key.length > 1) return lock === "none" ? sql.readAll : sql.allForUpdate;
  if (lock === "none") return sql.read;
  if (lock === "key share") return onLocked === "wait" ? sql.forKeyShare : sql.forKeyShareSkipLocked;
  return onLocked === "wait" ? sql.forUpdate : sql.forUpdateSkipLocked;
}

function keyArrays({ requests }: Group): unknown[] {
  const columns = requests[0]?.key ?? [];
  return [
    requests.map(({ userId }) => userId),
    ...columns.map((_, index) => requests.map(({ key }) => key?.[index])),
  ];
}
