import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import type { ImportedThings } from "../../../shared/contracts/import/things.ts";
import { newColumns } from "../columns.ts";
import { streakOfHistory } from "../habit/history-streak.ts";
import { streakColumns } from "../habit/rows.ts";
import type { HandlerContext } from "../handler.ts";
import type { KnownIds } from "./parts.ts";
import { notInFuture, timesOf } from "./times.ts";

/** Earlier dates are mistakes of the program that wrote the file. */
const firstDate = "1970-01-01";

/** Times of completion by date. */
type Completions = Map<string, string | null>;

/** Makes habits with their histories. @returns how many completions they have */
export function insertHabits(
  context: HandlerContext,
  things: readonly ImportedThings["habits"][],
  histories: readonly ImportedThings["histories"][],
  known: KnownIds,
): number {
  const byHabit = Map.groupBy(histories, ({ habit }) => habit);
  return things
    .map((thing) => insertHabit(context, thing, completionsIn(context, byHabit.get(thing.key) ?? []), known))
    .reduce((sum, count) => sum + count, 0);
}

function completionsIn(
  { today }: HandlerContext,
  histories: readonly ImportedThings["histories"][],
): Completions {
  const completions: Completions = new Map();
  for (const { dates, times } of histories)
    for (const [index, date] of dates.entries())
      if (firstDate <= date && date <= today.date) completions.set(date, times[index] ?? null);
  return completions;
}

function insertHabit(
  context: HandlerContext,
  thing: ImportedThings["habits"],
  completions: Completions,
  known: KnownIds,
): number {
  const { habits, writeHistory, nextId, today } = context;
  const id = nextId("habits");
  const category_id = known.get(thing.category ?? "") ?? null;
  const columns = newColumns(habitFields, { ...thing, category_id });
  habits.insert({
    id,
    ...columns,
    former_category_id: null,
    completions_count: completions.size,
    ...streakColumns(streakOfHistory(completions.keys(), columns, today.date), columns),
    ...timesOf(context, thing),
  });
  known.set(thing.key, id);
  const times = [...completions.values()].map((time) => time && notInFuture(context, time));
  if (completions.size > 0) writeHistory.push({ habit_id: id, dates: [...completions.keys()], times });
  return completions.size;
}
