import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import type { ImportedThings } from "../../../shared/contracts/import/contracts.ts";
import { addDays, dayNumber } from "../../../shared/domain/day/day.ts";
import type { PauseDates } from "../../../shared/domain/habit/free-days.ts";
import { joinPauses, type Pause } from "../../../shared/domain/habit/free-days.ts";
import { daysAhead, doneColumns, noHistory } from "../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import { newColumns } from "../columns.ts";
import { type DaySum, lastAmounts } from "../habit/amount.ts";
import { noRings } from "../habit/habit.ts";
import type { HandlerContext } from "../handler.ts";
import { idOfThing, type KnownThings, notInFuture, timesOf } from "./things.ts";

type PausedThing = Pick<ImportedThings["habits"], "paused_from" | "paused_through" | "pauses">;

/** The pause of an imported habit; one that ends before it begins is ignored. */
function importedPause({ paused_from, paused_through }: PausedThing): PauseDates {
  const isPause = paused_from !== null && (paused_through === null || paused_from <= paused_through);
  return isPause ? { paused_from, paused_through } : { paused_from: null, paused_through: null };
}

/** The pauses of an imported habit, the present one included. */
function importedPauses(thing: PausedThing): Pause[] {
  const { paused_from: from, paused_through: through } = importedPause(thing);
  const all = [...(thing.pauses ?? []), ...(from === null ? [] : [{ from, through }])];
  return joinPauses(all.filter(({ from, through }) => through === null || from <= through));
}

/** Earlier dates are mistakes of the program that wrote the file. */
const firstDate = "1970-01-01";

/** Times of completion by date. */
type Completions = Map<string, string | null>;

/** The days of one habit in a file. */
type Days = Readonly<{
  completions: Completions;
  sums: ReadonlyMap<string, DaySum>;
  notes: ReadonlyMap<string, string>;
}>;

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
  const notes = histories.flatMap((history) => history.notes ?? []);
  return {
    completions,
    sums: new Map(sums.map((sum) => [sum.date, consistent(sum, completions)])),
    notes: new Map(notes.map(({ date, note }) => [date, note])),
  };
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
  { completions, sums, notes }: Days,
  known: KnownThings,
): number {
  const { habits, writeHistory, today } = context;
  const id = idOfThing(known, thing);
  const category_id = known.ids.get(thing.category ?? "") ?? null;
  const columns = {
    ...newColumns(habitFields, { ...thing, ...importedPause(thing), category_id }),
    ...noHistory,
    ...doneColumns([...completions.keys()].map(dayNumber)),
    pauses: importedPauses(thing),
    skipped_dates: skippedDates(context, thing, completions),
  };
  habits.insert({
    id,
    ...columns,
    ...noRings,
    former_category_id: null,
    recent_amounts: lastAmounts(amountsOf(sums), today.date),
    ...streakColumns(columns, today.date),
    ...timesOf(context, thing),
  });
  const times = [...completions.values()].map((time) => time && notInFuture(context, time));
  if (completions.size + sums.size > 0)
    writeHistory.push({
      habit_id: id,
      dates: [...completions.keys()],
      times,
      notes: [...completions.keys()].map((date) => notes.get(date) ?? null),
      sums: [...sums].map(([local_date, sum]) => ({ local_date, ...sum })),
    });
  return completions.size;
}

const amountsOf = (sums: Days["sums"]): Record<string, number> =>
  Object.fromEntries([...sums].map(([date, { amount }]) => [date, amount]));
