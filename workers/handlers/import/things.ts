import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import {
  firstDate,
  type ImportedKind,
  type ImportedThings,
} from "../../../shared/contracts/import/contracts.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import type { ImportKeyRow, ImportPartRow } from "../../../shared/db/entities.ts";
import { addDays, dayNumber, resolveLocalTime, timestamp } from "../../../shared/domain/day/day.ts";
import { joinPauses, type Pause, type PauseDates } from "../../../shared/domain/habit/free-days.ts";
import {
  completed,
  daysAhead,
  doneColumns,
  type HabitHistory,
  noHistory,
} from "../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import { newColumns } from "../columns.ts";
import { type DaySum, lastAmounts } from "../habit/days.ts";
import { noRings, updateHistory } from "../habit/habit.ts";
import type { HandlerContext, OwnTables } from "../handler.ts";
import { endOfTimes, holdZone, wallTimeOfReminder } from "../todo/reminder.ts";

/** The things of a file that have an id here, by their keys. */
export type KnownThings = Readonly<{
  ids: Map<string, number>;
  /** True if the thing is not here yet. */
  isNew(thing: Readonly<{ key: string }>): boolean;
}>;

/** @throws Error for a thing that got no id in the first transaction */
export function idOfThing({ ids }: KnownThings, { key }: Readonly<{ key: string }>): number {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The thing ${key} of a file has no id.`);
  return id;
}

const idsByKey = (rows: readonly ImportKeyRow[]) => new Map(rows.map(({ key, id }) => [key, id]));

/** @param rows the keys of things that are here */
export function knownHere(rows: readonly ImportKeyRow[]): KnownThings {
  const here = new Set(rows.map(({ key }) => key));
  return { ids: idsByKey(rows), isNew: ({ key }) => !here.has(key) };
}

/** @param time the time of the import, which the keys of its new things have */
export function knownSince(rows: readonly ImportKeyRow[], time: string): KnownThings {
  const isOfImport = ({ created_at }: ImportKeyRow) => timestamp(created_at) === timestamp(time);
  const made = new Set(rows.filter(isOfImport).map(({ key }) => key));
  return { ids: idsByKey(rows), isNew: ({ key }) => made.has(key) };
}

type Clock = Pick<HandlerContext, "now" | "nowMs">;
type Times = Readonly<{ created_at: string | null; updated_at: string | null }>;

/** Times of creation and last change in the file; times in the future become the present. */
export function timesOf(context: Clock, { created_at, updated_at }: Times) {
  const made = notInFuture(context, created_at);
  return { created_at: made, updated_at: updated_at === null ? made : notInFuture(context, updated_at) };
}

/** @returns the time in the file; the present if it is missing, in the future or before all computers */
function notInFuture({ now, nowMs }: Clock, time: string | null): string {
  const ms = Date.parse(time ?? "");
  return time !== null && ms >= 0 && ms <= nowMs ? time : now;
}

export const stagedParts = (
  { importParts }: Pick<OwnTables, "importParts">,
  { import_id }: Readonly<{ import_id: string }>,
): ImportPartRow[] =>
  importParts
    .all()
    .filter((row) => row.import_id === import_id)
    .sort((one, other) => one.part - other.part);

/** The things of a kind, as the reader of files has checked them. */
export const stagedThings = <Kind extends ImportedKind>(
  parts: readonly ImportPartRow[],
  kind: Kind,
): ImportedThings[Kind][] =>
  parts.filter((row) => row.kind === kind).flatMap((row): ImportedThings[Kind][] => JSON.parse(row.content));

/** The keys of the things of a kind, without parsing these. */
export const keysOf = (parts: readonly ImportPartRow[], kind: ImportedKind): string[] =>
  parts.flatMap((row) => (row.kind === kind ? row.keys : []));

/** Characters of JSON from which a worker makes things in some 10 ms. */
const lengthOfStep = 50_000;

/**
 * Groups the parts after the categories into steps. A habit comes with its whole history, which for
 * `maxImported.completions` takes 40 ms.
 */
export function inSteps(parts: readonly ImportPartRow[]): ImportPartRow[][] {
  const steps: ImportPartRow[][] = [];
  let room = 0;
  for (const part of parts.filter(({ kind }) => kind !== "categories")) {
    if ((part.kind !== "histories" || part.keys.length === 0) && part.content.length > room) {
      steps.push([]);
      room = lengthOfStep;
    }
    steps.at(-1)?.push(part);
    room -= part.content.length;
  }
  return steps;
}

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

type Completions = Map<string, string | null>;

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
  target: done.has(date) ? Math.min(target, amount) : target > amount ? target : amount + 1,
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
    writeHistory.insert({
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

/** Rows of the days that habits lack, and of what these days have meanwhile. */
export const rowsOfDays = (parts: readonly ImportPartRow[]): RowRequest[] =>
  stagedThings(parts, "histories").flatMap(({ id, dates, sums }) => {
    if (id === null) return [];
    const days = new Set([...dates, ...(sums ?? []).map(({ date }) => date)]);
    const own = [...days].flatMap((date) =>
      (["habit_completions", "habit_amounts"] as const).flatMap((table) => withoutLock(table, [id, date])),
    );
    return [forUpdate("habits", id), ...own];
  });

/** The name of one of its days for each habit that gets some, for the log. */
export const namesOfDays = (parts: readonly ImportPartRow[]): string[] =>
  stagedThings(parts, "histories").flatMap(({ id, dates: [done], sums }) => {
    const day =
      done === undefined ? `habit_amounts/${id}/${sums?.[0]?.date}` : `habit_completions/${id}/${done}`;
    return id === null ? [] : [day];
  });

/** Gives a habit that is here the days that it lacks. @returns how many completions these are */
export function completeDays(context: HandlerContext, history: ImportedThings["histories"]): number {
  const { habits, amounts, completions, now, today } = context;
  const row = habits.get(history.id ?? 0);
  if (!row) return 0;
  const habit_id = row.id;
  const given = daysIn(context, [history]);
  const isOpen = ([date]: readonly [string, unknown]) =>
    !row.skipped_dates.includes(date) && !completions.get(habit_id, date) && !amounts.get(habit_id, date);
  const [done, sums] = [[...given.completions].filter(isOpen), [...given.sums].filter(isOpen)];
  for (const [local_date, sum] of sums) amounts.insert({ habit_id, local_date, ...sum, begun_at: now });
  let days: HabitHistory = row;
  for (const [local_date, time] of done.sort()) {
    const completed_at = time === null ? `${local_date}T12:00:00Z` : notInFuture(context, time);
    completions.insert({ habit_id, local_date, completed_at, note: given.notes.get(local_date) ?? null });
    days = { ...days, ...completed(days, local_date, completed_at) };
  }
  const { done_from, done_days, edits } = days;
  const recent = { ...amountsOf(new Map(sums)), ...row.recent_amounts };
  const recent_amounts = lastAmounts(recent, today.date);
  updateHistory(context, row, { done_from, done_days, edits, recent_amounts });
  return done.length;
}

type ImportedTodo = ImportedThings["todos"];

export function insertTodos(
  context: HandlerContext,
  things: readonly ImportedTodo[],
  known: KnownThings,
): void {
  // A wall time follows the person's zone, which must not change before the commit.
  if (things.some(({ reminder }) => reminder)) holdZone(context);
  for (const thing of things) {
    const id = idOfThing(known, thing);
    context.todos.insert({ id, ...todoColumns(context, thing, known) });
    if (thing.reminder) insertReminder(context, id, thing, thing.reminder);
  }
}

function todoColumns(context: HandlerContext, thing: ImportedTodo, known: KnownThings) {
  const { today } = context;
  const { category, next, is_completed, completed_at, completed_on } = thing;
  const done = {
    completed_at: notInFuture(context, completed_at),
    completed_on: completed_on === null || completed_on > today.date ? today.date : completed_on,
  };
  return {
    ...newColumns(todoFields, thing),
    ...(is_completed ? done : { completed_at: null, completed_on: null }),
    category_id: known.ids.get(category ?? "") ?? null,
    former_category_id: null,
    next_todo_id: known.ids.get(next ?? "") ?? null,
    ...timesOf(context, thing),
  };
}

/**
 * A reminder due before the import did not ring here, and a completed todo needs none. A recurring todo has a wall
 * time.
 */
function insertReminder(
  { reminders, acceptedAt, today, now }: HandlerContext,
  todo_id: number,
  { is_completed, recurrence }: ImportedTodo,
  { remind_at, wall_time, status }: NonNullable<ImportedTodo["reminder"]>,
): void {
  const instant = wall_time === null ? Date.parse(remind_at) : resolveLocalTime(wall_time, today.timeZone);
  const follows = wall_time !== null || recurrence != null;
  if (instant < 0 || instant >= endOfTimes) return;
  const present = status === "scheduled" && is_completed ? "suspended" : status;
  const isMissed = present === "scheduled" && instant < acceptedAt;
  reminders.insert({
    todo_id,
    remind_at: wall_time === null ? remind_at : new Date(instant).toISOString(),
    wall_time: follows ? wallTimeOfReminder({ remind_at, wall_time }, today.timeZone) : null,
    status: isMissed ? "missed" : present,
    delivery_id: null,
    created_at: now,
    updated_at: now,
  });
}
