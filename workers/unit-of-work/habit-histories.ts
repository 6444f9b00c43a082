import { noStatements } from "./returns/no-statements.ts";
import { asJson } from "./save.ts";
import type { Entry, Rows, Statement, Table } from "./table.ts";

const insertion = `
  insert into habit_completions (user_id, habit_id, local_date, completed_at)
  select v.user_id, v.habit_id, c.local_date,
    coalesce(c.completed_at, (c.local_date + time '12:00') at time zone 'UTC')
  from json_to_recordset($1) v(user_id text, habit_id bigint, dates date[], times timestamptz[])
  cross join lateral unnest(v.dates, v.times) c(local_date, completed_at)`;

/**
 * Completions that come with a new habit. There can be thousands, which as rows of the unit of work would keep a worker
 * busy for longer than everything else of an import. A statement writes a few thousand, because PostgreSQL stops one that
 * takes too long, and thousands of statements would keep the worker busy.
 */
export const habitHistories: Table = {
  name: "habit_histories",
  columns: [],
  key: [
    { name: "user_id", type: "text" },
    { name: "habit_id", type: "bigint" },
  ],
  writes: (_, changed) =>
    together(changed).map((some): Statement => ({ text: insertion, values: [asJson(some)] })),
  sql: { ...noStatements, insert: insertion },
};

const completionsAtOnce = 2_000;

function together(changed: readonly Entry<object>[]): Entry<object>[][] {
  const statements: Entry<object>[][] = [];
  let room = 0;
  for (const entry of changed as readonly Entry<Rows["habit_histories"]>[]) {
    const completions = entry.row?.dates.length ?? 0;
    if (room < completions) {
      statements.push([]);
      room = completionsAtOnce;
    }
    statements.at(-1)?.push(entry);
    room -= completions;
  }
  return statements;
}
