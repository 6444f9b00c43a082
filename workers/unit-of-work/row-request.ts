import type { TableName, ViewName } from "./tables.ts";

/** The columns of a key after the user. */
type RowKey = string | number | readonly (string | number)[];

/**
 * A requested row and its lock: `update` to change the row, `key share` to refer to it, so that it cannot be
 * deleted meanwhile. A request without a key means all rows of the user.
 */
export type RowRequest =
  | Readonly<{ table: TableName; key?: RowKey; lock: "update" | "key share" | "none" }>
  | Readonly<{ table: ViewName; key: RowKey; lock: "none" }>;

export const forUpdate = (table: TableName, key: RowKey): RowRequest => ({
  table,
  key,
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
  key == null ? [] : [{ table, key, lock: "key share" }];

/** @returns no request when there is no reference */
export const withoutLock = (table: TableName | ViewName, key: Reference | RowKey): RowRequest[] =>
  key == null ? [] : [{ table, key, lock: "none" }];

/** A request on behalf of one user: nobody can ask for another user's rows. */
export type UserRowRequest = RowRequest & Readonly<{ userId: string }>;

/** Names the requested rows, regardless of the lock. */
export const requestId = ({ table, userId, key }: UserRowRequest): string =>
  typeof key === "object"
    ? [table, userId, ...key].join("\u0000")
    : (key === undefined ? [table, userId] : [table, userId, key]).join("\u0000");

/** @returns the columns of the key in their order */
export const keyParts = (key: RowKey | undefined): readonly (string | number)[] =>
  key === undefined ? [] : typeof key === "object" ? key : [key];
