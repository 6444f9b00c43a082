import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { mostCompletionDays } from "../../../shared/contracts/habit/completions.ts";
import type { HabitAmountRow, HabitCompletionRow } from "../../../shared/db/entities.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { notFound } from "../../../shared/errors.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";

export const readCompletions: QueryHandler<"habit.completions"> = async (query, input) => {
  const days = await daysOf<HabitCompletionRow>(query, "habit_completions", input);
  if (!days) return notFound("Habit");
  return {
    data: days.map(({ local_date: date, completed_at, note = null }) => ({
      date,
      completed_at: timestamp(completed_at),
      note,
    })),
  };
};

export const readAmounts: QueryHandler<"habit.amounts"> = async (query, input) => {
  const days = await daysOf<HabitAmountRow>(query, "habit_amounts", input);
  if (!days) return notFound("Habit");
  return { data: days.map(({ local_date: date, amount, target }) => ({ date, amount, target })) };
};

/**
 * A missing end defaults to the longest period from the other end; without both, the period ends today.
 * @returns undefined for an unknown habit
 */
async function daysOf<Day extends Readonly<{ local_date: string }>>(
  query: QueryContext,
  table: "habit_completions" | "habit_amounts",
  { habit_id, ...period }: InputOf<Queries["habit.completions"]>,
): Promise<Day[] | undefined> {
  const { own, rows } = query;
  const from = period.from ?? null;
  const to = period.to ?? (from === null ? (await readDaySettings(query)).today.date : null);
  const further = literal(mostCompletionDays - 1);
  const found = await rows(sql<Day | { local_date: null }>`
    select d.* from ${own("habits")} h
    left join ${own(table)} d on d.habit_id = h.id
      and d.local_date between coalesce(${from}::date, ${to}::date - ${further})
      and coalesce(${to}::date, ${from}::date + ${further})
    where h.id = ${habit_id}::bigint
    order by d.local_date desc`);
  return found.length === 0 ? undefined : found.filter((day): day is Day => day.local_date !== null);
}
