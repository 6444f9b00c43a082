import { mostCompletionDays } from "../../../shared/contracts/habit/completions.ts";
import { listsAll, type TodayInput } from "../../../shared/contracts/habit/today.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { allOf, type QueryHandler, readDaySettings } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { dueOn, ofKind } from "./read.ts";
import { type HabitInWeek, readHabitsInWeek } from "./week.ts";

/** One page holds all habits of anybody except people who test the limits. */
const mostShown = 100;
const mostShownWithHistory = 25;

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, input) => {
  const { query: q, cursor: after, all: _, from: __, to: ___, ...kind } = input;
  const { today } = await readDaySettings(query);
  const isForAll = listsAll(input);
  const where = allOf(
    ofKind(kind),
    ...(isForAll ? [] : [dueOn(today.date)]),
    ...(q === undefined ? [] : [hasText([sql`h.name`, sql`h.description`], q)]),
  );
  const period = periodOf(input, today.date);
  const limit = period ? mostShownWithHistory : mostShown;
  const found = await readHabitsInWeek(query, today, { where, limit: limit + 1, after, period });
  const habits = found.habits
    .slice(0, limit)
    .map(({ habit, isDue, doneDays, periodDays, periodAmounts, ...item }) => ({
      ...habit,
      ...(isForAll && { is_due_today: isDue, ...graceOf(habit, item) }),
      week_progress: item.target === undefined ? null : { done: doneDays.length, target: item.target },
      ends_tonight: habit.streak_alive_through === today.date,
      ...(periodDays && { done_days: [...periodDays] }),
      ...(periodDays && periodAmounts && { day_amounts: [...periodAmounts] }),
    }));
  return {
    today: today.date,
    time_zone: today.timeZone,
    habits,
    total: found.total,
    ...(period && { period }),
    next_cursor: found.habits.length > limit ? (habits.at(-1)?.id ?? null) : null,
  };
};

/** Without a streak there is nothing to forgive. */
const graceOf = (
  { streak_alive_through }: HabitInWeek["habit"],
  { graceLeft }: Pick<HabitInWeek, "graceLeft">,
) => (streak_alive_through === null ? {} : { grace_left: graceLeft });

/** Cuts a period that is too long to its latest part. */
function periodOf({ from, to }: TodayInput, today: string) {
  if (from === undefined) return undefined;
  const end = to ?? (from > today ? from : today);
  const earliest = addDays(end, 1 - mostCompletionDays);
  return { from: from > earliest ? from : earliest, to: end };
}
