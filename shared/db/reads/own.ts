import type { InferKyselyDB } from "@mikro-orm/sql";
import type { entities } from "../entities.ts";
import { raw, type Sql } from "./sql.ts";

export type UserTable = keyof InferKyselyDB<(typeof entities)[number]>;

/** A mark for the user in the text of a statement, replaced when all other values are known. */
const owner = "$0";

/** PostgreSQL merges this subquery into the statement around it, so that indexes serve it like the table. */
export const own = (table: UserTable): Sql => raw(`(select * from ${table} where user_id = ${owner})`);

/** The user is one parameter, whatever the number of tables: each parameter costs, most in coalesced reads. */
export function ofUser({ text, values }: Sql, userId: string): { text: string; values: unknown[] } {
  return text.includes(owner)
    ? { text: text.replaceAll(owner, `$${values.length + 1}`), values: [...values, userId] }
    : { text, values: [...values] };
}
