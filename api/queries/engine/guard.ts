import type { InferKyselyDB } from "@mikro-orm/sql";
import type { entities } from "../../../shared/db/entities.ts";
import type { Database } from "../../../shared/db/orm.ts";
import { createCoalescedReads, type ReadOptions, type RunRead } from "./coalesced-reads.ts";
import { raw, type Sql } from "./sql.ts";

type UserTable = keyof InferKyselyDB<(typeof entities)[number]>;

/**
 * The database as the queries of one user see it. They name no table themselves, so they cannot forget whose rows
 * they read.
 */
export type GuardedRows = Readonly<{
  /** The user's rows of a table, for a `from` or `join`, where it needs an alias. */
  own(table: UserTable): Sql;
  /** Runs one statement. */
  rows<Row>(statement: Sql<Row>): Promise<Row[]>;
}>;

/** A mark for the user in the text of a statement, replaced when all other values are known. */
const owner = "$0";

/** PostgreSQL merges this subquery into the statement around it, so that indexes serve it like the table. */
export const own = (table: UserTable): Sql => raw(`(select * from ${table} where user_id = ${owner})`);

/** Runs statements. */
export type QueryDatabase = Readonly<{ run: RunRead }>;

/** All reads of a process share one of these, so that they can be coalesced. */
export const openQueryDatabase = ({ pool }: Pick<Database, "pool">): QueryDatabase => ({
  run: createCoalescedReads(pool),
});

/** The owner of the calendar feed with this hash: the one read before the user is known, so it counts as the network's. */
export async function feedOwner(
  { run }: Pick<QueryDatabase, "run">,
  secretHash: string,
  network: string,
): Promise<string | undefined> {
  const text = "select user_id from calendar_feeds where secret_hash = $1";
  const [feed] = await run<{ user_id: string }>(network, text, [secretHash]);
  return feed?.user_id;
}

export const guardRows = ({ run }: QueryDatabase, userId: string, options?: ReadOptions): GuardedRows => ({
  own,
  rows<Row>({ text, values }: Sql<Row>) {
    // The user is one parameter, whatever the number of tables: each parameter costs, most in coalesced reads.
    const parameter = `$${values.length + 1}`;
    return text.includes(owner)
      ? run<Row>(userId, text.replaceAll(owner, parameter), [...values, userId], options)
      : run<Row>(userId, text, values, options);
  },
});
