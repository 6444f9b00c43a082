import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { mostCompletionDays } from "../../../shared/contracts/habit/filters.ts";
import { presentHabit, shownOfHabit } from "../../../shared/db/present.ts";
import {
  type Found,
  namesGiven,
  own,
  parameters,
  type RowOf,
  type SomeValuesOf,
  type Statement,
  selectFrom,
  statement,
  statements,
} from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { notFound, type Refused } from "../../../shared/errors.ts";
import { categoryOf } from "../category/read.ts";
import {
  daySettings,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import { countOf, type Extent, firstRows, readPage } from "../engine/pagination.ts";
import { hasText, patternsOf } from "../engine/search.ts";

const { ref, and, exists } = expressionBuilder<{ h: RowOf<"habits"> }, "h">();

export const habitValues = {
  ...({ habit_id: "bigint", ids: "bigint[]", after: "bigint", offset: "bigint" } as const),
  ...({ frequency: "text", time_of_day: "time_of_day", category_id: "bigint", q: "text[]" } as const),
  ...({ today: "date", completed_today: "boolean", due: "text" } as const),
  ...({ monday: "date", sunday: "date", from: "date", to: "date" } as const),
};
export type HabitValues = SomeValuesOf<typeof habitValues>;
const value = parameters(habitValues);

export const completedOn = (date: Expression<string>): RawBuilder<boolean> =>
  sql`(${date} = any(${ref("h.recent_dates")}))`;

/** `isDueOn` of shared/domain/habit/streak.ts as a condition on a habit's columns; a test compares the two. */
export const dueOn = (date: Expression<string>): RawBuilder<boolean> => sql`(
  ${completedOn(date)} or (
    not ${ref("h.free_dates")} @> ${date}
    and (${ref("h.next_due")} is null or ${ref("h.next_due")} <= ${date})
    and (${ref("h.schedule")} -> 'weekdays' is null
      or ${ref("h.schedule")} -> 'weekdays' @> to_jsonb(extract(isodow from ${date})::integer))
  )
)`;

/** The conditions of lists of habits. No filter has an index, because a user's habits are few. So filters share few statements. */
const conditionOf = {
  one: sql<boolean>`${ref("h.id")} = ${value("habit_id")}`,
  listed: sql<boolean>`${ref("h.id")} = any(${value("ids")})`,
  kind: sql<boolean>`(${value("frequency")} is null or ${ref("h.frequency")} = ${value("frequency")})
    and (${value("time_of_day")} is null or ${ref("h.time_of_day")} = ${value("time_of_day")})
    and (${value("category_id")} is null or ${ref("h.category_id")} = ${value("category_id")})`,
  /** Habits due, or completed, today. */
  day: sql<boolean>`(${value("completed_today")} is null or ${completedOn(value("today"))} = ${value("completed_today")})
    and (${value("due")} is null or ${dueOn(value("today"))})`,
  due: dueOn(value("today")),
  search: hasText([ref("h.name"), ref("h.description")], value("q")),
};
/** All of them apply together. */
export type HabitConditions = readonly (keyof typeof conditionOf)[];
export const habitsWhere = (wanted: HabitConditions): Expression<SqlBool> =>
  and(wanted.map((name) => conditionOf[name]));

export const countHabits = (where: Expression<SqlBool>) =>
  selectFrom(own("habits").as("h")).select(countOf.as("total")).where(where);

export const byId = sql`${ref("h.id")}`;

type Part = Extent & Readonly<{ order?: Expression<unknown>; total?: Expression<number> }>;

/** Habits in an order, each with its category and the day settings. */
export const habitRows = (
  where: Expression<SqlBool>,
  { order = byId, total = sql.lit(0), ...extent }: Part = {},
) =>
  selectFrom(
    selectFrom(own("habits").as("h"))
      .selectAll("h")
      .where(where)
      .orderBy(order)
      .modifyEnd(firstRows(extent, value))
      .as("h"),
  )
    .leftJoin(own("categories").as("c"), "c.id", "h.category_id")
    .select(shownOfHabit.map((column) => `h.${column}` as const))
    .select(["c.name as category_name", "c.color as category_color"])
    .select(daySettings)
    .select(sql<number>`${total}`.as("total"))
    .orderBy(order);

const habitList = statements(
  habitValues,
  (_, { wanted, ...extent }: Extent & { wanted: HabitConditions }) => {
    const where = habitsWhere(wanted);
    return habitRows(where, { ...extent, total: sql`${countHabits(where)}` });
  },
);
const habitsFound = statements(habitValues, (_, wanted: HabitConditions) => habitRows(habitsWhere(wanted)));

export type HabitWithCategory = Found<typeof habitsFound>;

export const readHabits: QueryHandler<"habit.list"> = async (query, input) => {
  const { completed_today, due } = input;
  const hasDay = completed_today !== undefined || due !== undefined;
  const today = hasDay ? (await readDaySettings(query)).today.date : null;
  const filters = habitFilters(input, hasDay ? ["day"] : []);
  const [wanted, values] = [filters.wanted, { ...filters.values, today, completed_today, due }];
  return readPage(query, input, {
    path: "habits",
    rows: (extent, offset) => habitList({ wanted, ...extent }, { ...values, offset }),
    present: (rows) => presentHabits(rows, daySettingsOf(rows, query).today),
  });
};

type Filters = Pick<InputOf<Queries["habit.list"]>, "frequency" | "time_of_day" | "category_id" | "q">;

/** The conditions and values of the filters that all lists of habits have. */
export function habitFilters(filters: Filters, others: HabitConditions = []) {
  const { q, frequency, time_of_day, category_id } = filters;
  const isOfKind = frequency ?? time_of_day ?? category_id;
  return {
    wanted: [...namesGiven({ kind: isOfKind }), ...others, ...namesGiven({ search: q })],
    values: { frequency, time_of_day, category_id, q: patternsOf(q) },
  };
}

export const readHabit: QueryHandler<"habit.get", Refused> = async (query, { habit_id }) => {
  const rows = await query.rows(habitsFound(["one"], { habit_id }));
  return presentHabits(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Habit");
};

export const presentHabits = (rows: readonly HabitWithCategory[], today: Viewer) =>
  rows.map((row) => presentHabitRow(row, today));

export const presentHabitRow = (row: HabitWithCategory, today: Viewer) =>
  presentHabit(row, categoryOf(row), today);

const further = sql.lit(mostCompletionDays - 1);
type DayTable = "habit_completions" | "habit_amounts";
const day = expressionBuilder<{ d: RowOf<DayTable> }, "d">();
/** Without any day, the habit's one row has nulls. */
const daysOf = <Table extends DayTable>(table: Table) =>
  statement({ habit_id: "bigint", from: "date", to: "date" }, (value) => {
    const [from, to, date] = [value("from"), value("to"), day.ref("d.local_date")];
    return sql<RowOf<Table> | { local_date: null }>`
      select d.* from ${own("habits")} h
      left join ${own(table)} d on ${day.ref("d.habit_id")} = ${ref("h.id")}
        and ${date} between coalesce(${from}, ${to} - ${further}) and coalesce(${to}, ${from} + ${further})
      where ${ref("h.id")} = ${value("habit_id")}
      order by ${date} desc`;
  });
const completionsOf = daysOf("habit_completions");
const amountsOf = daysOf("habit_amounts");

export const readCompletions: QueryHandler<"habit.completions", Refused> = async (query, input) => {
  const days = await readDays(query, completionsOf, input);
  if (!days) return notFound("Habit");
  return {
    data: days.map(({ local_date: date, completed_at, note = null }) => ({
      date,
      completed_at: timestamp(completed_at),
      note,
    })),
  };
};

export const readAmounts: QueryHandler<"habit.amounts", Refused> = async (query, input) => {
  const days = await readDays(query, amountsOf, input);
  if (!days) return notFound("Habit");
  return { data: days.map(({ local_date: date, amount, target }) => ({ date, amount, target })) };
};

/**
 * A missing end defaults to the longest period from the other end; without both, the period ends today.
 * @returns undefined for an unknown habit
 */
async function readDays<Day extends Readonly<{ local_date: string }>>(
  query: QueryContext,
  days: (
    period: Readonly<{ habit_id: number; from: string | null; to: string | null }>,
  ) => Statement<Day | { local_date: null }>,
  { habit_id, ...period }: InputOf<Queries["habit.completions"]>,
): Promise<Day[] | undefined> {
  const from = period.from ?? null;
  const to = period.to ?? (from === null ? (await readDaySettings(query)).today.date : null);
  const found = await query.rows(days({ habit_id, from, to }));
  return found.length === 0 ? undefined : found.filter((day): day is Day => day.local_date !== null);
}

export type DoneDays = ReadonlyMap<string, number>;

type Period = Readonly<{ from: string; to: string }>;

const completion = expressionBuilder<{ c: RowOf<DayTable> }, "c">();
/** Completions of deleted habits stay for an undo but do not count. */
export const isOfHabit = exists(
  selectFrom(own("habits").as("h")).select("h.id").where("h.id", "=", completion.ref("c.habit_id")),
);

/** Days one by one along an index; for one range, PostgreSQL would sort all completions of a year. */
const doneDays = statements(
  { from: "date", to: "date", habit_id: "bigint" },
  (value, which: "all" | "one") =>
    sql<{ day: string; done: number }>`
      select day::date as day, c.done from generate_series(${value("from")}, ${value("to")}, interval '1 day') day
      cross join lateral ${selectFrom(own("habit_completions").as("c"))
        .select(countOf.as("done"))
        .where("c.local_date", "=", sql<string>`day::date`)
        .where(which === "all" ? isOfHabit : completion("c.habit_id", "=", value("habit_id")))} c
      where c.done > 0`,
);

/** @param habit_id undefined for all habits */
export async function readDoneDays(
  query: QueryContext,
  period: Period,
  habit_id?: number,
): Promise<DoneDays> {
  const which = habit_id === undefined ? "all" : "one";
  const found = await query.rows(doneDays(which, { ...period, habit_id }));
  return new Map(found.map(({ day, done }) => [day, done]));
}
