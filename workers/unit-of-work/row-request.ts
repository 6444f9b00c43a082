import type { TableName, ViewName } from "./tables.ts";

/** The columns of a key after the user. */
type RowKey = readonly (string | number)[];
type Given = string | number | RowKey;

/**
 * A requested row and its lock: `update` to change the row, `key share` to refer to it, so that it cannot be
 * deleted meanwhile. A request without a key means all rows of the user.
 */
export type RowRequest =
  | Readonly<{ table: TableName; key?: RowKey; lock: "update" | "key share" | "none" }>
  | Readonly<{ table: ViewName; key: RowKey; lock: "none" }>;

const keyOf = (key: Given): RowKey => (typeof key === "object" ? key : [key]);

export const forUpdate = (table: TableName, key: Given): RowRequest => ({
  table,
  key: keyOf(key),
  lock: "update",
});

/** Only a slow command may request all rows, because it waits until no other transaction has locked any of them. */
export const allForUpdate = (table: TableName): RowRequest => ({ table, lock: "update" });

/** The settings are one row, whose key is the user. */
export const settingsForUpdate: RowRequest = { table: "users", lock: "update" };

type Reference = number | null | undefined;

/** All rows of the user in a table where these are few. */
export const allWithoutLock = (table: TableName): RowRequest => ({ table, lock: "none" });

/** @returns no request when there is no reference */
export const forKeyShare = (table: TableName, key: Reference): RowRequest[] =>
  key == null ? [] : [{ table, key: [key], lock: "key share" }];

/** @returns no request when there is no reference */
export const withoutLock = (table: TableName | ViewName, key: Reference | Given): RowRequest[] =>
  key == null ? [] : [{ table, key: keyOf(key), lock: "none" }];

/** A request on behalf of one user: nobody can ask for another user's rows. */
export type UserRowRequest = RowRequest & Readonly<{ userId: string }>;

/** Names the requested rows, regardless of the lock. */
export const requestId = ({ table, userId, key = [] }: UserRowRequest): string =>
  [table, userId, ...key].join("\u0000");
