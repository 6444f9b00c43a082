import Format from "typebox/format";
import { deletionKinds } from "../../../shared/db/entities/things.ts";
import type {
  CategoryRow,
  HabitAmountRow,
  HabitCompletionRow,
  HabitRow,
  ReminderRow,
  TodoRow,
} from "../../../shared/db/entities.ts";
import { join, literal, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import type { QueryContext } from "../engine/context.ts";
import { isOfHabit } from "../habit/read.ts";

type CategoryName = Readonly<{ category_name: string | null }>;
type ReminderColumns = Readonly<{
  remind_at: string | null;
  wall_time: string | null;
  reminder_status: ReminderRow["status"] | null;
}>;

/** All that a person has made, by kind, as rows of a file. */
export type ExportRows = {
  categories: CategoryRow;
  habits: HabitRow & CategoryName;
  completions: HabitCompletionRow;
  amounts: HabitAmountRow;
  todos: TodoRow & CategoryName & ReminderColumns;
};
export type KindOfThing = keyof ExportRows;

/** The place at which a step begins. */
type Place = Readonly<{ id: number; date: string }>;

type Source<Row> = Readonly<{
  rowsInStep: number;
  step(own: QueryContext["own"], after: Place, limit: Sql): Sql<Row>;
  placeOf(row: Row): Place;
}>;

const beforeAll: Place = { id: 0, date: "0001-01-01" };
const placeById = ({ id }: { id: number }): Place => ({ ...beforeAll, id });

type DayRow = Readonly<{ habit_id: number; local_date: string }>;

const daysOf = <Row extends DayRow>(table: "habit_completions" | "habit_amounts"): Source<Row> => ({
  rowsInStep: 2_000,
  placeOf: ({ habit_id, local_date }) => ({ id: habit_id, date: local_date }),
  step: (own, { id, date }, limit) => sql`
    select c.* from ${own(table)} c
    where (c.habit_id, c.local_date) > (${id}::bigint, ${date}::date)
      and ${isOfHabit({ own })}
    order by c.habit_id, c.local_date limit ${limit}`,
});

const sources: { [Kind in KindOfThing]: Source<ExportRows[Kind]> } = {
  categories: {
    rowsInStep: 500,
    placeOf: placeById,
    step: (own, { id }, limit) => sql`
      select c.* from ${own("categories")} c where c.id > ${id}::bigint order by c.id limit ${limit}`,
  },
  habits: {
    rowsInStep: 200,
    placeOf: placeById,
    step: (own, { id }, limit) => sql`
      select h.*, c.name as category_name
      from (select * from ${own("habits")} h where h.id > ${id}::bigint order by h.id limit ${limit}) h
      left join ${own("categories")} c on c.id = h.category_id order by h.id`,
  },
  completions: daysOf("habit_completions"),
  amounts: daysOf("habit_amounts"),
  todos: {
    rowsInStep: 200,
    placeOf: placeById,
    step: (own, { id }, limit) => sql`
      select t.*, c.name as category_name, r.remind_at, r.wall_time, r.status as reminder_status
      from (select * from ${own("todos")} t where t.id > ${id}::bigint order by t.id limit ${limit}) t
      left join ${own("categories")} c on c.id = t.category_id
      left join ${own("reminders")} r on r.todo_id = t.id order by t.id`,
  },
};

/**
 * Reads all rows of a kind in the order of their keys, in steps along the key's index. Nothing stays open between
 * steps, so slow clients cost nothing. A row that changes meanwhile appears in its old or its new state.
 */
export async function* allRows<Kind extends KindOfThing>(
  query: QueryContext,
  kind: Kind,
): AsyncGenerator<readonly ExportRows[Kind][]> {
  const { rowsInStep, step, placeOf } = sources[kind];
  let after = beforeAll;
  for (let isMore = true; isMore; ) {
    const rows = await query.stepInTurn(({ own, rows: run }) => run(step(own, after, literal(rowsInStep))));
    const last = rows.at(-1);
    if (last) {
      after = placeOf(last);
      yield rows;
    }
    isMore = rows.length === rowsInStep;
  }
}

const tables = ["categories", "habits", "todos"] as const;
type Table = (typeof tables)[number];

/**
 * A thing of a file with its key. A file by Kept has its id and time in the service that made the file, a category its
 * name, a habit its days.
 */
export type ThingOfFile = Readonly<{
  kind: string;
  key: string;
  origin?: Readonly<{ id: number; created_at: string }>;
  name?: string;
  dates?: readonly string[];
}>;

/** A thing that is here: its id, and the days of the file that the habit lacks. */
export type Here = Readonly<{ id: number; missing: readonly string[] }>;

/**
 * @returns what is here of each thing: from an earlier import, because the file was made here, or a category of that name
 */
export async function readWhatIsHere(
  query: QueryContext,
  things: readonly ThingOfFile[],
): Promise<readonly (Here | undefined)[]> {
  const imported = await readImportedKeys(query, things);
  const named = await readCategoryNames(query);
  const own = new Set<string>();
  for (const table of tables) {
    const origins = things.flatMap(({ kind, origin }) => (kind === table && origin ? [origin] : []));
    for (const id of await readSame(query, table, origins)) own.add(`${table} ${id}`);
  }
  const ids = things.map(({ kind, key, origin, name }) => {
    const same = origin && own.has(`${kind} ${origin.id}`) ? origin.id : undefined;
    return imported.get(key) ?? same ?? (kind === "categories" ? named.get(name) : undefined);
  });
  const here: (Here | undefined)[] = [];
  for (const [index, { dates = [] }] of things.entries()) {
    const id = ids[index];
    const missing = id === undefined || dates.length === 0 ? [] : await missingDays(query, id, dates);
    here.push(id === undefined ? undefined : { id, missing });
  }
  return here;
}

async function readImportedKeys(query: QueryContext, things: readonly ThingOfFile[]) {
  if (things.length === 0) return new Map<string, number>();
  const rows = await query.stepInTurn(({ own, rows: run }) => {
    const here = tables.map(
      (table) => sql`(k.kind = ${literal(deletionKinds[table])} and exists (
        select from ${own(table)} x where x.id = k.id))`,
    );
    return run(sql<{ key: string; id: number }>`
      select k.key, k.id from ${own("import_keys")} k
      where k.key = any(${`{${things.map(({ key }) => key).join(",")}}`}::text[]) and (${join(here, " or ")})`);
  });
  return new Map(rows.map(({ key, id }) => [key, id]));
}

async function readCategoryNames(query: QueryContext): Promise<ReadonlyMap<string | undefined, number>> {
  const rows = await query.stepInTurn(({ own, rows: run }) =>
    run(sql<{ name: string; id: number }>`select c.name, c.id from ${own("categories")} c`),
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** @returns those of the dates on which the habit has no completion, amount or skip */
async function missingDays(query: QueryContext, id: number, dates: readonly string[]) {
  const within = sql`habit_id = ${id}::bigint and local_date = any(${`{${dates.join(",")}}`}::date[])`;
  const rows = await query.stepInTurn(({ own, rows: run }) =>
    run(sql<{ date: string }>`
      select local_date as date from ${own("habit_completions")} c where ${within}
      union all select local_date from ${own("habit_amounts")} a where ${within}
      union all select unnest(skipped_dates) from ${own("habits")} h where id = ${id}::bigint`),
  );
  const taken = new Set(rows.map(({ date }) => date));
  return dates.filter((date) => !taken.has(date));
}

async function readSame(
  query: QueryContext,
  table: Table,
  origins: readonly NonNullable<ThingOfFile["origin"]>[],
): Promise<readonly number[]> {
  const known = origins.filter(({ id, created_at }) => Number.isSafeInteger(id) && isInstant(created_at));
  if (known.length === 0) return [];
  const ids = `{${known.map(({ id }) => id).join(",")}}`;
  const times = `{${known.map(({ created_at }) => created_at).join(",")}}`;
  const rows = await query.stepInTurn(({ own, rows: run }) =>
    run(sql<{ id: number }>`
      select v.id from unnest(${ids}::bigint[], ${times}::timestamptz[]) v(id, created_at)
      where exists (select from ${own(table)} x where x.id = v.id and x.created_at = v.created_at)`),
  );
  return rows.map(({ id }) => id);
}

/** PostgreSQL takes no other numbers, and a file may contain anything. */
const isInstant = (text: string): boolean => Format.Test("action-time", text);
