import type { Engine } from "../../shared/db/engine.ts";
import { asJson } from "./save.ts";
import type { Entry, Statement, Table } from "./table.ts";

const unused = {
  ...{ forUpdate: "", forUpdateSkipLocked: "", forKeyShare: "", forKeyShareSkipLocked: "" },
  ...{ allForUpdate: "", read: "", readAll: "", insert: "", upsert: "", update: "", remove: "" },
};

const insertion = (engine: Engine): string => `
  insert into habit_completions (user_id, habit_id, local_date, completed_at)
  select ${engine === "citus" ? "$2::text" : "v.user_id"}, v.habit_id, c.local_date,
    coalesce(c.completed_at, (c.local_date + time '12:00') at time zone 'UTC')
  from json_to_recordset($1) v(user_id text, habit_id bigint, dates date[], times timestamptz[])
  cross join lateral unnest(v.dates, v.times) c(local_date, completed_at)`;

/**
 * Completions that come with a new habit. There can be thousands, which as rows of the unit of work would keep a worker
 * busy for longer than everything else of an import. Each habit has a statement of its own, because PostgreSQL stops one
 * that takes too long.
 */
export const habitHistories = (engine: Engine): Table => ({
  name: "habit_histories",
  columns: [],
  key: [
    { name: "user_id", type: "text" },
    { name: "habit_id", type: "bigint" },
  ],
  ofOneUser: engine === "citus",
  writes: (_, changed) => changed.map((entry) => statementOf(engine, entry)),
  sql: { ...unused, insert: insertion(engine) },
});

const statementOf = (engine: Engine, entry: Entry<object>): Statement => ({
  text: insertion(engine),
  values: engine === "citus" ? [asJson([entry]), entry.key[0]] : [asJson([entry])],
});
