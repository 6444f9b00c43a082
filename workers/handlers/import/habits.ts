import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import type { ImportedThings } from "../../../shared/contracts/import/things.ts";
import { addDays, dayNumber } from "../../../shared/domain/day/day.ts";
import { newColumns } from "../columns.ts";
import type { DaySum } from "../habit/amount/day-sum.ts";
import { changeable } from "../habit/amount/rows.ts";
import { streakOfHistory } from "../habit/history-streak.ts";
import { noRings } from "../habit/rings.ts";
import { streakColumns } from "../habit/rows.ts";
import { daysAhead } from "../habit/streak-skip.ts";
import type { HandlerContext } from "../handler.ts";
import { idOfThing, type KnownThings } from "./known.ts";
import { importedPause, importedPauses } from "./pauses.ts";
import { notInFuture, timesOf } from "./times.ts";

/** Earlier dates are mistakes of the program that wrote the file. */
const firstDate = "1970-01-01";

/** Times of completion by date. */
type Completions = Map<string, string | null>;

/** The days of one habit in a file. */
type Days = Readonly<{ completions: Completions; sums: ReadonlyMap<string, DaySum> }>;

/** Makes habits with their histories. @returns how many completions they have */
export function insertHabits(
  context: HandlerContext,
  things: readonly ImportedThings["habits"][],
  histories: readonly ImportedThings["histories"][],
  known: KnownThings,
): number {
  const byHabit = Map.groupBy(histories, ({ habit }) => habit);
  return things
    .map((thing) => insertHabit(context, thing, daysIn(context, byHabit.get(thing.key) ?? []), known))
    .reduce((sum, count) => sum + count, 0);
}

function daysIn({ today }: HandlerContext, histories: readonly ImportedThings["histories"][]): Days {
  const isPast = (date: string) => firstDate <= date && date <= today.date;
  const completions: Completions = new Map();
  for (const { dates, times } of histories)
    for (const [index, date] of dates.entries())
      if (isPast(date)) completions.set(date, times[index] ?? null);
  const sums = histories.flatMap((history) => history.sums ?? []).filter(({ date }) => isPast(date));
  return { completions, sums: new Map(sums.map((sum) => [sum.date, consistent(sum, completions)])) };
}

/** The file's word on whether the day was done stands, whatever its target says. */
const consistent = ({ date, amount, target }: DaySum & { date: string }, done: Completions): DaySum => ({
  amount,
  target: done.has(date) ? Math.min(target, amount) : Math.max(target, amount + 1),
});

/** Skips come as far ahead as people can make them; a day that was done was not skipped. */
function skippedDates(
  { today }: HandlerContext,
  { skips }: ImportedThings["habits"],
  completions: Completions,
): string[] {
  const last = addDays(today.date, daysAhead);
  const wanted = new Set(skips ?? []);
  return [...wanted].filter((date) => firstDate <= date && date <= last && !completions.has(date)).sort();
}

function insertHabit(
  context: HandlerContext,
  thing: ImportedThings["habits"],
  { completions, sums }: Days,
  known: KnownThings,
): number {
  const { habits, writeHistory, today } = context;
  const id = idOfThing(known, thing);
  const category_id = known.ids.get(thing.category ?? "") ?? null;
  const columns = newColumns(habitFields, { ...thing, ...importedPause(thing), category_id });
  const skips = skippedDates(context, thing, completions);
  const free = { pauses: importedPauses(thing), skips: skips.map(dayNumber) };
  const streak = streakOfHistory({ dates: completions.keys(), free }, columns, today.date);
  habits.insert({
    id,
    ...columns,
    ...noRings,
    former_category_id: null,
    completions_count: completions.size,
    recent_amounts: changeable(amountsOf(sums), today.date),
    ...streakColumns(streak, columns),
    ...timesOf(context, thing),
  });
  const times = [...completions.values()].map((time) => time && notInFuture(context, time));
  if (completions.size + sums.size > 0)
    writeHistory.push({
      habit_id: id,
      dates: [...completions.keys()],
      times,
      sums: [...sums].map(([local_date, sum]) => ({ local_date, ...sum })),
    });
  return completions.size;
}

const amountsOf = (sums: Days["sums"]): Record<string, number> =>
  Object.fromEntries([...sums].map(([date, { amount }]) => [date, amount]));
