import type { InferKyselyDB } from "@mikro-orm/sql";
import type { entities } from "../../../shared/db/entities.ts";
import type { Database } from "../../../shared/db/orm.ts";
import { createReadBatches, type ReadManner, type RunRead } from "./read-batches.ts";
import { raw, type Sql } from "./sql.ts";

type UserTable = keyof InferKyselyDB<(typeof entities)[number]>;

/** The database as one user's queries see it: they name no table themselves, so they cannot forget whose rows. */
export type GuardedRows = Readonly<{
  /** The user's rows of a table, for a `from` or `join`, where it needs an alias. */
  own(table: UserTable): Sql;
  /** Runs one statement. */
  rows<Row>(statement: Sql<Row>): Promise<Row[]>;
}>;

/** Stands for the user in the text of a statement until all its other values are known. */
const owner = "$0";

/** PostgreSQL merges this subquery into the statement around it, so that indexes serve it like the table. */
export const own = (table: UserTable): Sql => raw(`(select * from ${table} where user_id = ${owner})`);

/** Runs statements. */
export type QueryDatabase = Readonly<{ run: RunRead }>;

/** All reads of a process go through one of these, so that they can travel together. */
export const openQueryDatabase = ({ pool }: Pick<Database, "pool">): QueryDatabase => ({
  run: createReadBatches(pool),
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

export const guardRows = ({ run }: QueryDatabase, userId: string, manner?: ReadManner): GuardedRows => ({
  own,
  rows<Row>({ text, values }: Sql<Row>) {
    // Once, however many tables are read: each value of a statement costs, most in a batch.
    const place = `$${values.length + 1}`;
    return text.includes(owner)
      ? run<Row>(userId, text.replaceAll(owner, place), [...values, userId], manner)
      : run<Row>(userId, text, values, manner);
  },
});
