import type { Engine } from "../../shared/db/engine.ts";
import type { Database } from "../../shared/db/orm.ts";
import { inTurns } from "../unit-of-work/in-turns.ts";
import { keyRows, ofUser } from "../unit-of-work/spelling.ts";
import type { Column } from "../unit-of-work/table.ts";

/** Where reminders are stored, and how far tests move from the present, as an interval. */
export type ReminderStore = Readonly<{ database: Pick<Database, "pool" | "engine">; travel: string }>;

/** What a statement says in the words of its engine. */
type Words = Readonly<{
  /**
   * The present by PostgreSQL's clock alone: the clocks of worker processes may differ, so no worker compares a time with
   * its own. The first value is an interval by which tests move in time; on Citus, whose servers have a clock each, the
   * present itself.
   */
  now: string;
  /** Keys as rows, from one array per column, which are the values from the second on. The first column is the user. */
  keys(alias: string, columns: readonly Column[]): string;
  /** A condition that the rows are of the user whom the statement is about, where there is one. */
  ofUser(alias: string, place?: number): string;
}>;

type Spelled = Readonly<Record<Engine, string>>;

/** Writes a statement once for both engines. */
export const spell = (statement: (words: Words) => string): Spelled => ({
  postgres: statement(wordsOf("postgres", "(now() + $1::interval)")),
  citus: statement(wordsOf("citus", "$1::timestamptz")),
});

const wordsOf = (engine: Engine, now: string): Words => ({
  now,
  keys: (alias, columns) => keyRows(engine, alias, columns, 2),
  ofUser: (alias, place = 2) => ofUser(engine, alias, place),
});

/** How many users' statements are under way at the same time. */
const usersAtOnce = 4;

/**
 * Runs a statement that takes keys: one array per column, which are its values from the second on. On Citus it runs
 * once for each user.
 */
export async function runOnKeys<Row extends object>(
  { database, travel }: ReminderStore,
  statement: Spelled,
  [users = [], ...columns]: readonly (readonly unknown[])[],
  ...others: readonly unknown[]
): Promise<Row[]> {
  const { pool, engine } = database;
  if (engine === "postgres") {
    const { rows } = await pool.query<Row>(statement.postgres, [travel, users, ...columns, ...others]);
    return rows;
  }
  const now = await readNow({ database, travel });
  const places = Map.groupBy(users.keys(), (place) => users[place]);
  const results = await inTurns([...places], usersAtOnce, ([user, own]) => {
    const values = columns.map((column) => own.map((place) => column[place]));
    return pool.query<Row>(statement.citus, [now, user, ...values, ...others]);
  });
  return results.flatMap(({ rows }) => rows);
}

/**
 * Runs a statement that takes due rows, oldest first. On Citus it runs for each user of whom `scan` finds some, with that
 * user as its last value. The values are those that follow on the first.
 */
export async function runOnDue<Row extends object>(
  { database, travel }: ReminderStore,
  scan: Readonly<{ text: string; values: readonly unknown[] }>,
  { text, values }: Readonly<{ text: Spelled; values: readonly unknown[] }>,
): Promise<Row[]> {
  const { pool, engine } = database;
  if (engine === "postgres") return (await pool.query<Row>(text.postgres, [travel, ...values])).rows;
  const now = await readNow({ database, travel });
  const { rows } = await pool.query<{ user_id: string }>(scan.text, [now, ...scan.values]);
  const users = new Set(rows.map(({ user_id }) => user_id));
  const results = await inTurns([...users], usersAtOnce, (user) =>
    pool.query<Row>(text.citus, [now, ...values, user]),
  );
  return results.flatMap((result) => result.rows);
}

async function readNow({ database, travel }: ReminderStore): Promise<string> {
  const { rows } = await database.pool.query<{ now: string }>("select (now() + $1::interval)::text as now", [
    travel,
  ]);
  return rows[0]?.now ?? "";
}
