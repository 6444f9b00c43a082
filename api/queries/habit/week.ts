import type { Static } from "typebox";
import type { Habit } from "../../../shared/contracts/habit/schema.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { shownOfHabit } from "../../../shared/db/present.ts";
import { columnList, sql } from "../../../shared/db/reads/sql.ts";
import type { FreeDays } from "../../../shared/domain/habit/free-days.ts";
import { graceLeft } from "../../../shared/domain/habit/streak.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, type Condition, type QueryContext } from "../engine/context.ts";
import type { Extent } from "../engine/pagination.ts";
import { dueOn, type HabitWithCategory, habitRows, inOrderOfIds, presentHabitRow } from "./read.ts";
import { daysAskedFor, weekOf } from "./week-progress.ts";

type DayAmounts = readonly Readonly<{ date: string; amount: number }>[];

export type HabitInWeek = Readonly<{
  habit: Static<typeof Habit>;
  isDue: boolean;
  /** The days of this week on which it was done. */
  doneDays: readonly string[];
  /** The number of days of a week on which it is due; undefined when its rules name none. */
  target: number | undefined;
  /** The misses that its streak still forgives. */
  graceLeft: number;
  /** The days that its pauses and skips free. */
  free: FreeDays;
  /** The days of the requested period on which it was done. */
  periodDays: readonly string[] | undefined;
  /** The sums of these days, for a habit with a target. */
  periodAmounts: DayAmounts | undefined;
}>;

/** @returns undefined when the habit does not exist */
export async function readHabitInWeek(
  query: QueryContext,
  today: Viewer,
  habitId: number,
): Promise<HabitInWeek | undefined> {
  const { habits } = await readHabitsInWeek(query, today, { where: sql`h.id = ${habitId}::bigint` });
  return habits[0];
}

type WeekColumns = Pick<HabitRow, "pauses"> & {
  is_due: boolean;
  done_days: string[];
  period_days?: string[];
  period_amounts?: DayAmounts | null;
};

const columns = columnList("h", [...shownOfHabit, "pauses", "free_dates"]);

type Wanted = Pick<Extent, "limit" | "offset"> &
  Readonly<{
    where: Condition;
    order?: Condition;
    /** Only habits with later ids, in the order of ids; the total counts all. */
    after?: number | undefined;
    /** The number of past days to show for each. */
    period?: Readonly<{ from: string; to: string }> | undefined;
  }>;

/** Habits with their day and week, and the number of all that meet the condition. */
export async function readHabitsInWeek(
  query: QueryContext,
  today: Viewer,
  { where, order = inOrderOfIds, after, period, ...part }: Wanted,
): Promise<Readonly<{ habits: HabitInWeek[]; total: number }>> {
  const { monday: from, sunday: to } = weekOf(today.date);
  const total = sql`select count(*) from ${query.own("habits")} h where ${where}`;
  const page = after === undefined ? where : allOf(where, sql`h.id > ${after}::bigint`);
  const rows = await query.rows(sql<HabitWithCategory & WeekColumns>`
    select h.*, ${dueOn(today.date)} as is_due, ${daysDone(query, { from, to })} as done_days
    ${period ? sql`, ${daysDone(query, period)} as period_days, ${amountsIn(query, period)} as period_amounts` : sql``}
    from (${habitRows(query, page, { total, ...part }, { order, columns })}) h ${order}`);
  return { habits: rows.map((row) => inWeek(row, today)), total: rows[0]?.total ?? 0 };
}

const daysDone = ({ own }: QueryContext, { from, to }: NonNullable<Wanted["period"]>): Condition => sql`array(
  select c.local_date from ${own("habit_completions")} c
  where c.habit_id = h.id and c.local_date between ${from}::date and ${to}::date
  order by c.local_date
)`;

const amountsIn = ({ own }: QueryContext, { from, to }: NonNullable<Wanted["period"]>): Condition => sql`(
  select json_agg(json_build_object('date', a.local_date, 'amount', a.amount) order by a.local_date)
  from ${own("habit_amounts")} a
  where a.habit_id = h.id and a.local_date between ${from}::date and ${to}::date
)`;

function inWeek(row: HabitWithCategory & WeekColumns, today: Viewer): HabitInWeek {
  const habit = presentHabitRow(row, today);
  return {
    habit,
    isDue: row.is_due,
    doneDays: row.done_days,
    free: row,
    periodDays: row.period_days,
    periodAmounts: habit.target === null ? undefined : (row.period_amounts ?? []),
    target: daysAskedFor(habit),
    graceLeft: graceLeft(row, today.date),
  };
}
