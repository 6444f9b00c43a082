import type { Static } from "typebox";
import type { Habit } from "../../../shared/contracts/habit/schema.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { shownOfHabit } from "../../../shared/db/present.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Today } from "../../../shared/domain/day/today.ts";
import { daysBack, firstChangeableDay } from "../../../shared/domain/habit/streak.ts";
import type { Condition, QueryContext } from "../engine/context.ts";
import type { Extent } from "../engine/pagination.ts";
import { columnList, sql } from "../engine/sql.ts";
import { graceLeft } from "./grace.ts";
import { dueOn, type HabitWithCategory, habitRows, inOrderOfIds, presentHabitRow } from "./read.ts";
import { daysAskedFor, weekOf } from "./week-progress.ts";

/** A habit beside its day and its week. */
export type HabitInWeek = Readonly<{
  habit: Static<typeof Habit>;
  isDue: boolean;
  /** The days of this week on which it was done. */
  doneDays: readonly string[];
  /** On how many days of a week it is asked for; undefined when its rules name no number. */
  target: number | undefined;
  /** The misses that its streak still forgives. */
  graceLeft: number;
  /** The first day that can still be completed or undone. */
  changeableFrom: string;
}>;

/** @returns undefined when the habit does not exist */
export async function readHabitInWeek(
  query: QueryContext,
  today: Today,
  habitId: number,
): Promise<HabitInWeek | undefined> {
  const { habits } = await readHabitsInWeek(query, today, { where: sql`h.id = ${habitId}::bigint` });
  return habits[0];
}

type WeekColumns = Pick<HabitRow, "streak_state"> & { is_due: boolean; done_days: string[] };

const columns = columnList("h", [...shownOfHabit, "streak_state"]);

type Wanted = Pick<Extent, "limit" | "offset"> & Readonly<{ where: Condition; order?: Condition }>;

/** Habits with their day and week, and the number of all that meet the condition. */
export async function readHabitsInWeek(
  query: QueryContext,
  today: Today,
  { where, order = inOrderOfIds, ...part }: Wanted,
): Promise<Readonly<{ habits: HabitInWeek[]; total: number }>> {
  const { monday, sunday } = weekOf(today.date);
  const total = sql`select count(*) from ${query.own("habits")} h where ${where}`;
  const rows = await query.rows(sql<HabitWithCategory & WeekColumns>`
    select h.*, ${dueOn(today.date)} as is_due, array(
      select c.local_date from ${query.own("habit_completions")} c
      where c.habit_id = h.id and c.local_date between ${monday}::date and ${sunday}::date
      order by c.local_date
    ) as done_days
    from (${habitRows(query, where, { total, ...part }, { order, columns })}) h ${order}`);
  return { habits: rows.map((row) => inWeek(row, today)), total: rows[0]?.total ?? 0 };
}

function inWeek(row: HabitWithCategory & WeekColumns, today: Today): HabitInWeek {
  const habit = presentHabitRow(row, today);
  return {
    habit,
    isDue: row.is_due,
    doneDays: row.done_days,
    target: daysAskedFor(habit),
    graceLeft: graceLeft(row.streak_state, habit, today.date),
    changeableFrom: later(firstChangeableDay(row.streak_state), addDays(today.date, -daysBack)),
  };
}

const later = (one: string, other: string): string => (one > other ? one : other);
