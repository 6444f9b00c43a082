import { mostInDay } from "../../../../../shared/contracts/habit/fields.ts";
import { type ImportedThings, mostSkips } from "../../../../../shared/contracts/import/contracts.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { csvRecords, csvRows, headOf } from "./fields.ts";
import { createKeys, type Finding, left, mostFound, type TextFile } from "./found.ts";

type Row = ReadonlyMap<string, string>;

/** A habit of the list; `isDone` tells which cells of its column count as done. */
type LoopHabit = Readonly<{ row: Row; name: string; isArchived: boolean; isDone(value: string): boolean }>;

type Sums = NonNullable<ImportedThings["histories"]["sums"]>;
/** Days by what was entered for them. */
type Days = Readonly<{ done: string[]; skips: string[]; sums: Sums }>;
const noDays = (): Days => ({ done: [], skips: [], sums: [] });

const isSkip = (value: string): boolean => value === "SKIP" || value === "3";

type LoopFiles = Readonly<{ habits?: TextFile | undefined; checkmarks?: TextFile | undefined }>;

/** Reads the two tables of Loop's export: the habits, and a column of days for each. */
export function* readLoop({ habits: list, checkmarks }: LoopFiles): Generator<Finding> {
  const habits = list ? habitsIn(list.text) : [];
  const known = habits.length > 0 ? habits : namedIn(checkmarks?.text ?? "");
  const dates = checkmarks ? datesIn(checkmarks.text, known) : new Map<LoopHabit, Days>();
  if (!checkmarks)
    yield left("Checkmarks.csv", "It was not among the files, so the habits come without their days.");
  if (!list) yield left("Habits.csv", "It was not among the files, so all habits are daily.");
  const keys = createKeys("loop");
  for (const habit of known) {
    const key = keys(habit.name);
    if (habit.isArchived) yield left(habit.name, "It is archived in Loop.");
    else yield* readHabit(habit, key, dates.get(habit) ?? noDays());
  }
}

const cell = (row: Row, ...names: readonly string[]): string =>
  names.map((name) => row.get(name)?.trim() ?? "").find((value) => value !== "") ?? "";

function habitsIn(text: string): LoopHabit[] {
  const habits: LoopHabit[] = [];
  for (const row of csvRecords(text)) {
    const name = cell(row, "name");
    if (name === "") continue;
    habits.push({ row, name, isArchived: cell(row, "archived?") === "true", isDone: doneBy(row) });
    if (habits.length > mostFound) break;
  }
  return habits;
}

/** The habits by the head of the table of days, which ends with an empty cell. */
function namedIn(text: string): LoopHabit[] {
  const names = headOf(text)
    .slice(1)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.map((name) => ({ row: new Map(), name, isArchived: false, isDone: doneBy(new Map()) }));
}

/** A day that only follows from the frequency (YES_AUTO, 1) was not done. Amounts are in thousandths. */
function doneBy(row: Row): LoopHabit["isDone"] {
  if (!isNumerical(row)) return (value) => value === "YES_MANUAL" || value === "2";
  const target = Number(cell(row, "target value")) * 1_000;
  return (value) =>
    /^\d+$/.test(value) && (isAtMost(row) ? Number(value) <= target : Number(value) >= Math.max(target, 1));
}

/** This table does not quote names with commas in its head, so columns go by position if their number fits. */
function datesIn(text: string, habits: readonly LoopHabit[]): Map<LoopHabit, Days> {
  const dates = new Map(habits.map((habit): [LoopHabit, Days] => [habit, noDays()]));
  const head = headOf(text);
  const byName = new Map(habits.map((habit) => [habit.name, habit]));
  for (const row of csvRows(text)) {
    const [date = "", ...values] = row;
    if (!isCalendarDate(date)) continue;
    if (values.at(-1) === "") values.pop();
    const inOrder = values.length === habits.length;
    for (const [index, value] of values.entries()) {
      const habit = inOrder ? habits[index] : byName.get(head[index + 1]?.trim() ?? "");
      const days = habit && dates.get(habit);
      if (habit && days) enter(days, habit, date, value.trim());
    }
  }
  return dates;
}

function enter(days: Days, { row, isDone }: LoopHabit, date: string, value: string): void {
  if (isSkip(value)) return void days.skips.push(date);
  if (isDone(value)) days.done.push(date);
  const target = wholeTarget(row);
  const amount = Math.min(Math.round(Number(value) / 1_000), mostInDay);
  if (target !== undefined && amount >= 1) days.sums.push({ date, amount, target });
}

/** The amount to reach, where Kept can count it; others come as days that were done, and in words. */
function wholeTarget(row: Row): number | undefined {
  const target = Number(cell(row, "target value"));
  const isCounted = isNumerical(row) && !isAtMost(row) && Number.isInteger(target);
  return isCounted && target >= 1 && target <= mostInDay ? target : undefined;
}

const isNumerical = (row: Row): boolean => /^(numerical|measurable)/i.test(cell(row, "type"));
const isAtMost = (row: Row): boolean => /most/i.test(cell(row, "target type"));

function* readHabit({ row, name }: LoopHabit, key: string, days: Days): Generator<Finding> {
  const dates = days.done;
  const { approximate, ...rhythm } = rhythmOf(row);
  if (approximate) yield left(name, `Comes as ${approximate}, which is the nearest rhythm that Kept has.`);
  const [unit, target] = [cell(row, "unit"), cell(row, "target value")];
  const counted = wholeTarget(row);
  const isTold = counted !== undefined || target === "" || Number(target) === 0;
  const amount = isTold ? "" : `Target: ${Number(target)} ${unit}`.trim();
  const description =
    [cell(row, "question"), cell(row, "description"), amount].filter(Boolean).join("\n") || null;
  const [first] = dates.toSorted();
  const skips = days.skips.toSorted().slice(-mostSkips);
  const created_at = first === undefined ? null : `${first}T12:00:00Z`;
  const measure = counted === undefined ? {} : { target: counted, unit: unit.slice(0, 30).trim() || null };
  yield { kind: "habits", thing: { ...rhythm, ...measure, key, name, description, created_at, skips } };
  const times = dates.map(() => null);
  if (dates.length + days.sums.length > 0)
    yield {
      kind: "histories",
      thing: { habit: key, dates: [...dates], times, sums: [...days.sums], notes: null },
    };
}

/** Loop's frequency is a number of times in a number of days. */
function rhythmOf(row: Row) {
  const times = Number(cell(row, "frequencynumerator", "numrepetitions")) || 1;
  const days = Number(cell(row, "frequencydenominator", "interval")) || 1;
  if (times >= days) return { frequency: "daily" as const };
  if (times === 1 && days !== 7 && days <= 365)
    return { frequency: "custom" as const, schedule: { every_days: days } };
  const perWeek = Math.min(7, Math.max(1, Math.round((times * 7) / days)));
  const approximate = days === 7 ? undefined : `${perWeek} times a week`;
  if (perWeek === 1) return { frequency: "weekly" as const, approximate };
  return { frequency: "custom" as const, schedule: { times_per_week: perWeek }, approximate };
}
