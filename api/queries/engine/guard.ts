import type { Database } from "../../../shared/db/orm.ts";
import { ofUser, own, type UserTable } from "../../../shared/db/reads/own.ts";
import type { Sql } from "../../../shared/db/reads/sql.ts";
import { createCoalescedReads, type ReadOptions, type RunRead } from "./coalesced-reads.ts";

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
  const statement = { text: "select feed_owner($1) as user_id", values: [secretHash] };
  const [feed] = await run<{ user_id: string | null }>(network, statement);
  return feed?.user_id ?? undefined;
}

export const guardRows = ({ run }: QueryDatabase, userId: string, options?: ReadOptions): GuardedRows => ({
  own,
  rows: (statement) => run(userId, ofUser(statement, userId), options),
});
