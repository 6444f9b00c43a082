import { expressionBuilder, type RawBuilder, sql } from "kysely";
import Format from "typebox/format";
import { deletionKinds } from "../../../shared/db/entities/things.ts";
import {
  type Found,
  own,
  parameters,
  type RowOf,
  type Statement,
  selectFrom,
  statement,
  statements,
} from "../../../shared/db/reads/statement.ts";
import type { QueryContext } from "../engine/context.ts";
import { isOfHabit } from "../habit/read.ts";

const tables = ["categories", "habits", "todos"] as const;
const rowsInStep = { categories: 500, habits: 200, completions: 2_000, amounts: 2_000, todos: 200 };
const limitOf = (kind: KindOfThing) => sql.lit(rowsInStep[kind]);
/** The place after which a step begins. */
const place = { id: "bigint", date: "date" } as const;
type Place = Readonly<{ id: number; date: string }>;

type ThingTable = (typeof tables)[number];
const { ref } = expressionBuilder<{ c: RowOf<DayTable>; x: RowOf<ThingTable> }, "c" | "x">();
const value = parameters(place);
const next = <Table extends ThingTable>(table: Table): RawBuilder<RowOf<Table>> => sql`
  (select * from ${own(table)} x where ${ref("x.id")} > ${value("id")} order by ${ref("x.id")} limit ${limitOf(table)})`;

const categoriesAfter = statement(place, () =>
  selectFrom(next("categories").as("c")).selectAll("c").orderBy("c.id"),
);

const habitsAfter = statement(place, () =>
  selectFrom(next("habits").as("h"))
    .leftJoin(own("categories").as("c"), "c.id", "h.category_id")
    .selectAll("h")
    .select("c.name as category_name")
    .orderBy("h.id"),
);

type DayTable = "habit_completions" | "habit_amounts";
const daysAfter = <Table extends DayTable>(table: Table, kind: KindOfThing) =>
  statement(
    place,
    () => sql<RowOf<Table>>`
      select c.* from ${own(table)} c
      where (${ref("c.habit_id")}, ${ref("c.local_date")}) > (${value("id")}, ${value("date")}) and ${isOfHabit}
      order by ${ref("c.habit_id")}, ${ref("c.local_date")} limit ${limitOf(kind)}`,
  );

const todosAfter = statement(place, () =>
  selectFrom(next("todos").as("t"))
    .leftJoin(own("categories").as("c"), "c.id", "t.category_id")
    .leftJoin(own("reminders").as("r"), "r.todo_id", "t.id")
    .selectAll("t")
    .select(["c.name as category_name", "r.remind_at", "r.wall_time", "r.status as reminder_status"])
    .orderBy("t.id"),
);

/** All that a person has made, by kind, as rows of a file. */
export type ExportRows = {
  categories: Found<typeof categoriesAfter>;
  habits: Found<typeof habitsAfter>;
  completions: RowOf<"habit_completions">;
  amounts: RowOf<"habit_amounts">;
  todos: Found<typeof todosAfter>;
};
export type KindOfThing = keyof typeof rowsInStep;

type Source<Row> = Readonly<{ step(after: Place): Statement<Row>; placeOf(row: Row): Place }>;

const beforeAll: Place = { id: 0, date: "0001-01-01" };
const placeById = ({ id }: { id: number }): Place => ({ ...beforeAll, id });
const placeOfDay = ({ habit_id, local_date }: RowOf<DayTable>): Place => ({ id: habit_id, date: local_date });

const sources: { [Kind in KindOfThing]: Source<ExportRows[Kind]> } = {
  categories: { step: categoriesAfter, placeOf: placeById },
  habits: { step: habitsAfter, placeOf: placeById },
  completions: { step: daysAfter("habit_completions", "completions"), placeOf: placeOfDay },
  amounts: { step: daysAfter("habit_amounts", "amounts"), placeOf: placeOfDay },
  todos: { step: todosAfter, placeOf: placeById },
};

/**
 * Reads all rows of a kind in the order of their keys, in steps along the key's index. Nothing stays open between
 * steps, so slow clients cost nothing. A row that changes meanwhile appears in its old or its new state.
 */
export async function* allRows<Kind extends KindOfThing>(
  query: QueryContext,
  kind: Kind,
): AsyncGenerator<readonly ExportRows[Kind][]> {
  const { step, placeOf } = sources[kind];
  let after = beforeAll;
  for (let isMore = true; isMore; ) {
    const rows = await query.stepInTurn(({ rows: run }) => run(step(after)));
    const last = rows.at(-1);
    if (last) {
      after = placeOf(last);
      yield rows;
    }
    isMore = rows.length === rowsInStep[kind];
  }
}

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

const keysHere = statement({ keys: "text[]" }, (value) =>
  selectFrom(own("import_keys").as("k"))
    .select(["k.key", "k.id"])
    .where(({ eb, fn }) => eb("k.key", "=", fn.any(value("keys"))))
    .where(({ eb, ref: of, and, exists, or }) =>
      or(
        tables.map((table) =>
          and([
            eb("k.kind", "=", sql.lit(deletionKinds[table])),
            exists(selectFrom(own(table).as("x")).select("x.id").where("x.id", "=", of("k.id"))),
          ]),
        ),
      ),
    ),
);

async function readImportedKeys(query: QueryContext, things: readonly ThingOfFile[]) {
  if (things.length === 0) return new Map<string, number>();
  const imported = keysHere({ keys: `{${things.map(({ key }) => key).join(",")}}` });
  const rows = await query.stepInTurn(({ rows: run }) => run(imported));
  return new Map(rows.map(({ key, id }) => [key, id]));
}

const categoryNames = statement({}, () => selectFrom(own("categories").as("c")).select(["c.name", "c.id"]));

async function readCategoryNames(query: QueryContext): Promise<ReadonlyMap<string | undefined, number>> {
  const rows = await query.stepInTurn(({ rows: run }) => run(categoryNames({})));
  return new Map(rows.map(({ name, id }) => [name, id]));
}

const takenDays = statement({ habit_id: "bigint", dates: "date[]" }, (value) => {
  const daysIn = (table: DayTable) =>
    selectFrom(own(table).as("c"))
      .select("c.local_date as date")
      .where("c.habit_id", "=", value("habit_id"))
      .where(({ eb, fn }) => eb("c.local_date", "=", fn.any(value("dates"))));
  const skipped = selectFrom(own("habits").as("h"))
    .select(({ ref: of }) => sql<string>`unnest(${of("h.skipped_dates")})`.as("date"))
    .where("h.id", "=", value("habit_id"));
  return daysIn("habit_completions").unionAll(daysIn("habit_amounts")).unionAll(skipped);
});

/** @returns those of the dates on which the habit has no completion, amount or skip */
async function missingDays(query: QueryContext, habit_id: number, dates: readonly string[]) {
  const days = takenDays({ habit_id, dates: `{${dates.join(",")}}` });
  const rows = await query.stepInTurn(({ rows: run }) => run(days));
  const taken = new Set(rows.map(({ date }) => date));
  return dates.filter((date) => !taken.has(date));
}

const sameThings = statements({ ids: "bigint[]", times: "timestamptz[]" }, (value, table: ThingTable) =>
  selectFrom(
    sql<{ id: number; created_at: string }>`unnest(${value("ids")}, ${value("times")})`.as<"v">(
      sql`v(id, created_at)`,
    ),
  )
    .select("v.id")
    .where(({ ref: of, exists }) =>
      exists(
        selectFrom(own(table).as("x"))
          .select("x.id")
          .where("x.id", "=", of("v.id"))
          .where("x.created_at", "=", of("v.created_at")),
      ),
    ),
);

async function readSame(
  query: QueryContext,
  table: ThingTable,
  origins: readonly NonNullable<ThingOfFile["origin"]>[],
): Promise<readonly number[]> {
  const known = origins.filter(({ id, created_at }) => Number.isSafeInteger(id) && isInstant(created_at));
  if (known.length === 0) return [];
  const ids = `{${known.map(({ id }) => id).join(",")}}`;
  const times = `{${known.map(({ created_at }) => created_at).join(",")}}`;
  const same = sameThings(table, { ids, times });
  const rows = await query.stepInTurn(({ rows: run }) => run(same));
  return rows.map(({ id }) => id);
}

/** PostgreSQL takes no other numbers, and a file may contain anything. */
const isInstant = (text: string): boolean => Format.Test("action-time", text);
