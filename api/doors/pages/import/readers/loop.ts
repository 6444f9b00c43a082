import {
  leastAmount,
  mostInDay,
  mostTarget,
  roundAmount,
} from "../../../../../shared/contracts/habit/fields.ts";
import { type ImportedThings, mostSkips } from "../../../../../shared/contracts/import/contracts.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { type CsvRecord, cell, csvRecords, csvRows, headOf, objectIn, objectsIn, textIn } from "./fields.ts";
import { createKeys, type Finding, left, mostFound, type ReadingContext, type TextFile } from "./found.ts";
import { instantIn } from "./tasks.ts";

/** A habit of the list with its days by what was entered for them. */
type LoopHabit = Readonly<{ row: CsvRecord; name: string; days: Days }>;
type Days = Readonly<{ done: string[]; skips: string[] } & Required<Pick<History, "sums" | "notes">>>;
type History = {
  [Name in keyof ImportedThings["histories"]]: NonNullable<ImportedThings["histories"][Name]>;
};
const habitOf = (row: CsvRecord, name = cell(row, "name")): LoopHabit => ({
  ...{ row, name },
  days: { done: [], skips: [], sums: [], notes: [] },
});

type LoopFiles = Readonly<{ habits?: TextFile | undefined; checkmarks?: TextFile | undefined }>;

/** Reads the two tables of Loop's export: the habits, and a column of days for each. */
export function* readLoop(
  { habits: list, checkmarks }: LoopFiles,
  context: ReadingContext,
): Generator<Finding> {
  const listed = list ? habitsIn(list.text) : [];
  const habits = listed.length > 0 ? listed : namedIn(checkmarks?.text ?? "");
  enterAll(checkmarks?.text ?? "", habits);
  if (!checkmarks)
    yield left("Checkmarks.csv", "It was not among the files, so the habits come without their days.");
  if (!list)
    yield left("Habits.csv", "It was not among the files, so all habits are daily, and amounts stay out.");
  yield* readHabits(habits, context);
}

export const isLoopBackup = (value: unknown): boolean => "loop" in objectIn(value);

/** Reads Loop's backup, which has reminders and notes as well. */
export function* readLoopBackup(value: unknown, context: ReadingContext): Generator<Finding> {
  const { habits, repetitions } = objectIn(objectIn(value).loop);
  const byId = new Map(objectsIn(habits).map((one) => [one.id, habitOf(rowOf(one))]));
  for (const { habit, timestamp, value, notes } of objectsIn(repetitions)) {
    const found = byId.get(habit);
    const date = instantIn(timestamp)?.slice(0, 10);
    if (!found || date === undefined) continue;
    enter(found, date, String(value), textIn(notes).trim());
  }
  yield* readHabits([...byId.values()], context);
}

function rowOf(one: Readonly<Record<string, unknown>>): CsvRecord {
  const clock = [one.reminder_hour, one.reminder_min].map((part) => String(part).padStart(2, "0")).join(":");
  const cells = {
    ...{ name: one.name, question: one.question, description: one.description, unit: one.unit },
    ...{ frequencynumerator: one.freq_num, frequencydenominator: one.freq_den, reminder: clock },
    ...{ type: one.type === 1 ? "numerical" : "", "target type": one.target_type === 1 ? "at_most" : "" },
    ...{ "target value": one.target_value, "archived?": one.archived === 1 },
  };
  return new Map(Object.entries(cells).map(([name, value]) => [name, String(value ?? "")]));
}

function* readHabits(habits: readonly LoopHabit[], context: ReadingContext): Generator<Finding> {
  const keys = createKeys("loop");
  for (const habit of habits) yield* readHabit(habit, keys(habit.name), context);
}

function habitsIn(text: string): LoopHabit[] {
  const habits: LoopHabit[] = [];
  for (const row of csvRecords(text)) {
    if (cell(row, "name") !== "") habits.push(habitOf(row));
    if (habits.length > mostFound) break;
  }
  return habits;
}

/** The habits by the head of the table of days, which ends with an empty cell. */
const namedIn = (text: string): LoopHabit[] =>
  headOf(text)
    .slice(1)
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => habitOf(new Map(), name));

const loopCell = /^(?:YES_MANUAL|YES_AUTO|NO|SKIP|UNKNOWN|-?\d+|)$/;
const mostRowsTried = 20;

/** True for the table of days: only its head ends with an empty cell. Of other tables, words or marks tell it. */
export function isLoopDays(text: string): boolean {
  const [head = [], ...rows] = csvRows(text, mostRowsTried).map((row) => row.map((one) => one.trim()));
  const cells = rows.flatMap((row) => row.slice(1));
  const isOfLoop = head.at(-1) === "" || cells.every((one) => /^(?:-1|[0-3]|\D*)$/.test(one));
  return head[0]?.toLowerCase() === "date" && isOfLoop && cells.every((one) => loopCell.test(one));
}

/** This table does not quote names with commas in its head, so columns go by position if their number fits. */
function enterAll(text: string, habits: readonly LoopHabit[]): void {
  const head = headOf(text);
  const byName = new Map(habits.map((habit) => [habit.name, habit]));
  for (const row of csvRows(text)) {
    const [date = "", ...values] = row;
    if (!isCalendarDate(date)) continue;
    if (values.at(-1) === "") values.pop();
    const inOrder = values.length === habits.length;
    for (const [index, value] of values.entries()) {
      const habit = inOrder ? habits[index] : byName.get(head[index + 1]?.trim() ?? "");
      if (habit) enter(habit, date, value.trim());
    }
  }
}

/** An amount that Kept does not count becomes a note of its day. */
function enter({ row, days }: LoopHabit, date: string, value: string, words = ""): void {
  if (value === "SKIP" || value === "3") return void days.skips.push(date);
  if (isDone(row, value)) days.done.push(date);
  const target = countedTarget(row);
  const amount = Math.min(Number(value) / 1_000, mostInDay);
  if (target !== undefined && amount > 0) days.sums.push({ date, amount, target });
  const told =
    target === undefined && isNumerical(row) && amount > 0 ? `${amount} ${cell(row, "unit")}`.trim() : "";
  const note = [told, words].filter(Boolean).join(": ").slice(0, longestNote);
  if (note !== "") days.notes.push({ date, note });
}

const longestNote = 500;

/** A day that only follows from the frequency (YES_AUTO, 1) was not done. Amounts are in thousandths. */
function isDone(row: CsvRecord, value: string): boolean {
  if (!isNumerical(row)) return value === "YES_MANUAL" || value === "2";
  const amount = value === "NO" ? 0 : /^\d+$/.test(value) ? Number(value) : undefined;
  if (amount === undefined) return false;
  const target = Number(cell(row, "target value")) * 1_000;
  if (isAtMost(row)) return amount <= target;
  return amount >= (daysOfTarget(row) > 1 ? 1 : Math.max(target, 1));
}

/** The amount to reach on a day; Kept has none for several days and none that is not to be exceeded. */
function countedTarget(row: CsvRecord): number | undefined {
  const target = Number(cell(row, "target value"));
  const isCounted = isNumerical(row) && !isAtMost(row) && daysOfTarget(row) === 1;
  return isCounted && target >= leastAmount && target <= mostTarget ? roundAmount(target) : undefined;
}

const isNumerical = (row: CsvRecord): boolean => /^(numerical|measurable)/i.test(cell(row, "type"));
const isAtMost = (row: CsvRecord): boolean => /most/i.test(cell(row, "target type"));
const daysOfTarget = (row: CsvRecord): number => Number(cell(row, "frequencydenominator", "interval")) || 1;

function* readHabit(
  { row, name, days }: LoopHabit,
  key: string,
  { today }: ReadingContext,
): Generator<Finding> {
  const { approximate, ...rhythm } = rhythmOf(row);
  if (approximate) yield left(name, `Comes as ${approximate}, which is the nearest rhythm that Kept has.`);
  const [unit, target] = [cell(row, "unit"), Number(cell(row, "target value"))];
  const counted = countedTarget(row);
  const span = daysOfTarget(row) === 1 ? "a day" : `in ${daysOfTarget(row)} days`;
  const amount = `${isAtMost(row) ? "At most" : "Target"}: ${target} ${unit}`.trim();
  const isTold = isNumerical(row) && counted === undefined;
  if (isTold)
    yield left(
      name,
      `Kept has no such target (${amount} ${span}); amounts come as notes on the days that count as done.`,
    );
  const description = [cell(row, "question"), cell(row, "description"), isTold ? `${amount} ${span}` : ""];
  const [first] = days.done.toSorted();
  const isPaused = cell(row, "archived?") === "true";
  if (isPaused) yield left(name, "It is archived in Loop, and comes paused.");
  const remind_at = /^\d\d:\d\d$/.test(cell(row, "reminder")) ? cell(row, "reminder") : null;
  const thing = {
    ...{ ...rhythm, key, name, remind_at, description: description.filter(Boolean).join("\n") || null },
    ...(counted !== undefined && { target: counted, unit: unit.slice(0, 30).trim() || null }),
    created_at: first === undefined ? null : `${first}T12:00:00Z`,
    skips: days.skips.toSorted().slice(-mostSkips),
    paused_from: isPaused ? today.date : null,
  };
  yield { kind: "habits", thing };
  const { done: dates, sums, notes } = days;
  if (dates.length + sums.length > 0)
    yield { kind: "histories", thing: { habit: key, dates, times: dates.map(() => null), sums, notes } };
}

/** Loop's frequency is a number of times in a number of days. */
function rhythmOf(row: CsvRecord) {
  const times = Number(cell(row, "frequencynumerator", "numrepetitions")) || 1;
  const days = daysOfTarget(row);
  if (times >= days) return { frequency: "daily" as const };
  if (times === 1 && days !== 7 && days <= 365)
    return { frequency: "custom" as const, schedule: { every_days: days } };
  const perWeek = Math.min(7, Math.max(1, Math.round((times * 7) / days)));
  const approximate = days === 7 ? undefined : `${perWeek} times a week`;
  if (perWeek === 1) return { frequency: "weekly" as const, approximate };
  return { frequency: "custom" as const, schedule: { times_per_week: perWeek }, approximate };
}
