import type { InferKyselyDB } from "@mikro-orm/sql";
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import type { entities } from "../../shared/db/entities.ts";

type UserTable = keyof InferKyselyDB<(typeof entities)[number]>;

/** The database as one user's queries see it: they name no table themselves, so they cannot forget whose rows. */
export type GuardedRows = Readonly<{
  /** The user's rows of a table, for a `from` or `join`, where it needs an alias. */
  own(table: UserTable): RawBuilder<unknown>;
  /** Runs one statement. */
  rows<Row>(statement: RawBuilder<Row>): Promise<Row[]>;
}>;

/** PostgreSQL merges such a subquery into the statement around it, so that indexes serve it as they serve the table. */
export const guardRows = (db: QueryExecutorProvider, userId: string): GuardedRows => ({
  own: (table) => sql`(select * from ${sql.table(table)} where user_id = ${userId})`,
  rows: async (statement) => (await statement.execute(db)).rows,
});
