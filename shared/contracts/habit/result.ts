import { type Static, type TSchema, Type } from "typebox";
import { daysBetween } from "../../domain/day/day.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Id, Nullable } from "../kernel/fields.ts";
import {
  deletionFacts,
  factsBy,
  joined,
  LeanObject,
  quoteStored,
  type ToolResult,
  type Unleaned,
  wordsOfOthers,
} from "../kernel/tool.ts";
import { type Habit, HabitOfWeek, habitFields, roundAmount, type TodayHabits } from "./fields.ts";
import { listsAll, type TodayInput } from "./filters.ts";

const shown = HabitOfWeek.properties;
const { category_id: _, grace_days, ...declared } = schemasOf(habitFields, "shown");

/** Values by month, such as 2026-11, or by date. */
const by = (value: TSchema) => Type.Optional(Type.Object({}, { additionalProperties: value }));

/** A habit as the facts of tools have it. */
const HabitFacts = LeanObject({
  id: shown.id,
  ...declared,
  written_by: shown.written_by,
  this_week: Nullable(Type.String({ description: "Days done of days due, such as 2 of 3" })),
  streak_count: shown.streak_count,
  longest_streak: shown.longest_streak,
  streak_alive_through: shown.streak_alive_through,
  ends_tonight: shown.ends_tonight,
  grace_left: shown.grace_left,
  done: by(Type.Array(Type.Integer())),
  done_by_month: by(Type.Integer()),
  is_due_today: shown.is_due_today,
  is_completed_today: shown.is_completed_today,
  amount_today: shown.amount_today,
  amounts: by(Type.Number()),
  amount_by_month: by(Type.Number()),
  category: Nullable(Type.String()),
  reaches: shown.reaches,
  grace_days: Type.Optional(grace_days),
});

export const OneHabitFacts = Type.Object({ habit: HabitFacts });
export const HabitDayFacts = Type.Object({
  habit: HabitFacts,
  date: Type.Optional(CalendarDate),
  /** The sum of that date. */
  amount: Type.Optional(Type.Number()),
});

export const DueHabitsFacts = Type.Object({
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
  habits: Type.Array(HabitFacts),
  total: Type.Optional(Type.Integer()),
  next_cursor: Type.Optional(Type.Integer()),
});

export const DeletedHabitFacts = Type.Object({
  deleted_habit_id: Id,
  name: Type.Optional(Type.String()),
  ...deletionFacts,
});

export function oneHabit(verb: string, habit: HabitOutput): ToolResult {
  const reachesNobody = habit.reaches === "nobody";
  return {
    lines: [`${verb} ${habitLine(habit)}`],
    facts: { habit: { ...factsOf(habit), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export function changedHabit(habit: HabitOutput): ToolResult {
  const { grace_days } = habit;
  return {
    lines: [`Changed ${habitLine(habit)}`, `grace days ${grace_days}`],
    facts: { habit: { ...factsOf(habit), grace_days } },
  };
}

type NamedHabit = Readonly<{ id: number; name: string }>;

export const deletedHabit = ({ id, name }: NamedHabit): ToolResult => ({
  lines: [`Deleted habit #${id} ${quoteStored(name)} with its completions.`],
  facts: { deleted_habit_id: id, name },
  canReturn: true,
});

type OfDay = { habit_id: number; date?: string; amount?: number };

export function completedHabit(habit: HabitOutput, day: OfDay): ToolResult {
  if (day.amount !== undefined && !isReached(habit, day)) return ofDay(habit, day, `Added ${day.amount}`);
  return ofDay(habit, day, habit.type === "bad" ? "Avoided" : "Done");
}

const isReached = (habit: HabitOutput, { date }: OfDay): boolean =>
  date === undefined ? habit.is_completed_today : (sumOn(habit, date) ?? 0) >= (habit.target ?? 0);

export function undoneHabit(habit: HabitOutput, day: OfDay): ToolResult {
  if (habit.type !== "bad") return ofDay(habit, day, "Not done", " any more");
  const { grace_days } = habit;
  const result = ofDay(habit, day, "Not avoided", " any more");
  const facts = { ...result.facts, habit: { ...factsOf(habit), grace_days } };
  return { ...result, lines: [...result.lines, lapseWords(grace_days)], facts };
}

/** A person who tells of a lapse wants to know its effect on the streak. */
const lapseWords = (graceDays: number): string =>
  graceDays === 0
    ? "grace days 0: one lapse ends a streak"
    : `grace days ${graceDays}: a streak ends by more lapses in a row`;

export const skippedHabit = (habit: HabitOutput, day: OfDay): ToolResult => ofDay(habit, day, "Skipped");
export const unskippedHabit = (habit: HabitOutput, day: OfDay): ToolResult =>
  ofDay(habit, day, "Not skipped", " any more");

function ofDay(habit: HabitOutput, { date }: OfDay, verb: string, end = ""): ToolResult {
  if (date === undefined) return oneHabit(`${verb} today${end}:`, habit);
  // The sum of a day that was just added to is missing only where the day is too old to be in the answer.
  const amount = habit.target === null ? undefined : (sumOn(habit, date) ?? (end === "" ? undefined : 0));
  const counted = amount === undefined ? "" : `, ${amountOf(habit, amount)}`;
  const { facts, ...result } = oneHabit(`${verb} on ${date}${end}${counted}:`, habit);
  return { ...result, facts: { ...facts, date, ...(amount !== undefined && { amount }) } };
}

/** All facts of one habit. */
export function habitOverview(habit: HabitOutput): readonly string[] {
  const { grace_days, completions_count } = habit;
  const times = completions_count === 1 ? "once" : `${completions_count} times`;
  return [habitLine(habit), `grace days ${grace_days}, completed ${times}`];
}

export function dueHabits(today: Static<typeof TodayHabits>, asked: TodayInput): ToolResult {
  const { habits, total, period, next_cursor } = today;
  const shown = habits.map((habit) => (period ? inPast(habit, period) : habit));
  const isCut = next_cursor !== null;
  return {
    lines: [
      ...(period ? [`Days done from ${period.from} to ${period.to}:`] : []),
      ...(shown.length === 0 ? [noneOf(asked)] : shown.map(habitLine)),
      ...(isCut ? [`These are ${habits.length} of ${total} habits. More with cursor ${next_cursor}`] : []),
    ],
    facts: { ...period, habits: shown.map(factsOf), ...(isCut && { total, next_cursor }) },
  };
}

/** Past days are told without what concerns today, because there can be many. */
function inPast({ done_days = [], day_amounts, ...habit }: ShownHabit, { from, to }: Period): ShownHabit {
  const length = daysBetween(from, to) + 1;
  const ofToday = {
    ...{ week_progress: null, streak_alive_through: null },
    ...{ is_completed_today: false, amount_today: null },
  };
  const { is_due_today: _, grace_left: __, ends_tonight: ___, ...lasting } = habit;
  const counted = day_amounts && amountsOf(day_amounts, length);
  return { ...lasting, ...ofToday, history: historyOf(done_days, length), counted };
}

function noneOf(asked: TodayInput): string {
  if (asked.cursor !== undefined) return "No more habits match.";
  if (!listsAll(asked)) return "No habits are due today.";
  const isNarrowed = (asked.query ?? asked.time_of_day) !== undefined;
  return isNarrowed ? "No habits match." : "There are no habits.";
}

function factsOf(habit: ShownHabit): Record<string, unknown> {
  const { history, counted } = habit;
  return factsBy(HabitFacts, habit, {
    ...{ this_week: thisWeek(habit), category: habit.category?.name ?? null },
    // Told where they matter.
    ...{ grace_days: null, reaches: null },
    ...history,
    ...counted,
  } satisfies Unleaned<typeof HabitFacts>);
}

export function habitLine(habit: ShownHabit): string {
  const { id, name, type, time_of_day, remind_at, is_completed_today, category } = habit;
  const week = thisWeek(habit);
  const details = joined([
    `${type} habit`,
    rhythmWords(habit),
    week && `${week} this week`,
    streakWords(habit),
    habit.grace_left !== undefined && `grace left ${habit.grace_left}`,
    targetWords(habit),
    habit.history && historyWords(habit.history),
    habit.counted && amountWords(habit.counted),
    pauseWords(habit),
    habit.is_due_today === true && !is_completed_today && "due today",
    is_completed_today && "completed today",
    time_of_day,
    remind_at && `reminds at ${remind_at}`,
    category && `in ${quoteStored(category.name)}`,
  ]);
  return `#${id} ${quoteStored(name)}: ${details}${wordsOfOthers(habit)}`;
}

const thisWeek = ({ week_progress: progress }: ShownHabit): string | null =>
  progress ? `${progress.done} of ${progress.target}` : null;

/** The parts of a habit in an agent's lines. */

type HabitOutput = Static<typeof Habit>;
/** A habit by itself, or in the list of the day. */
type ShownHabit = HabitOutput &
  Partial<Static<typeof HabitOfWeek>> & { history?: DaysDone | undefined; counted?: AmountsDone | undefined };

export const sumOn = ({ recent_amounts }: HabitOutput, date: string): number | undefined =>
  recent_amounts.find((day) => day.date === date)?.amount;

/** `6 of 8 glasses`. A unit of several words is quoted, so that it cannot pass for Kept's own words. */
function amountOf({ target, unit }: HabitOutput, amount?: number): string {
  const counted = amount === undefined ? "" : `${amount} of `;
  return `${counted}${target}${unit === null ? "" : ` ${/^\p{L}+$/u.test(unit) ? unit : quoteStored(unit)}`}`;
}

function targetWords(habit: ShownHabit): string | null {
  if (habit.target === null) return null;
  const { amount_today } = habit;
  return amount_today === null ? `${amountOf(habit)} a day` : `${amountOf(habit, amount_today)} today`;
}

const pauseWords = ({ paused_from: from, paused_through: through }: HabitOutput): string | null =>
  from && `paused from ${from} ${through === null ? "on" : `through ${through}`}`;

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function rhythmWords({ frequency, schedule }: HabitOutput): string {
  if (schedule === null) return frequency === "custom" ? "daily" : frequency;
  if ("every_days" in schedule) return `every ${schedule.every_days} days`;
  if ("times_per_week" in schedule) return `${schedule.times_per_week} times a week`;
  return schedule.weekdays
    .toSorted()
    .map((day) => weekdayNames[day - 1])
    .join("/");
}

function streakWords({ ends_tonight, ...habit }: ShownHabit): string {
  const { streak_count, longest_streak, streak_alive_through: end } = habit;
  const best = longest_streak > streak_count ? ` (best ${longest_streak})` : "";
  const life = ends_tonight ? " ends tonight" : ` alive through ${end}`;
  return `streak ${streak_count}${best}${end === null ? "" : life}`;
}

/** The days on which a habit was done: by month the days, or over a long time their number. */
type DaysDone = Readonly<{ done: Record<string, number[]> } | { done_by_month: Record<string, number> }>;

type Period = Readonly<{ from: string; to: string }>;

/** About two months; the days of a longer period would fill an answer. */
const mostListedDays = 62;

/** @param days calendar dates in order */
function historyOf(days: readonly string[], length: number): DaysDone {
  const months = [...Map.groupBy(days, (day) => day.slice(0, 7))];
  const each = <Told>(tell: (days: readonly string[]) => Told) =>
    Object.fromEntries(months.map(([month, its]) => [month, tell(its)]));
  if (length > mostListedDays) return { done_by_month: each((its) => its.length) };
  return { done: each((its) => its.map((day) => Number(day.slice(8)))) };
}

/** The sums of the days on which something was added, or over a long time those of the months. */
type AmountsDone = Readonly<
  { amounts: Record<string, number> } | { amount_by_month: Record<string, number> }
>;

type DayAmount = Readonly<{ date: string; amount: number }>;

/** @param days in the order of dates */
function amountsOf(days: readonly DayAmount[], length: number): AmountsDone {
  if (length <= mostListedDays)
    return { amounts: Object.fromEntries(days.map(({ date, amount }) => [date, amount])) };
  const months = [...Map.groupBy(days, ({ date }) => date.slice(0, 7))];
  return { amount_by_month: Object.fromEntries(months.map(([month, its]) => [month, totalOf(its)])) };
}

const totalOf = (days: readonly Pick<DayAmount, "amount">[]): number =>
  roundAmount(days.reduce((sum, { amount }) => sum + amount, 0));

/** `14 in all (2026-11-18: 6, 2026-11-19: 8)`. */
function amountWords(done: AmountsDone): string {
  const parts = Object.entries("amounts" in done ? done.amounts : done.amount_by_month);
  const total = totalOf(parts.map(([, amount]) => ({ amount })));
  const each = parts.map(([when, amount]) => `${when}: ${amount}`).join(", ");
  return parts.length === 0 ? "0 in all" : `${total} in all (${each})`;
}

const names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `done Oct 30 31, Nov 1`, or `done 2026-10: 12, 2026-11: 3`. */
function historyWords(history: DaysDone): string {
  const parts =
    "done" in history
      ? Object.entries(history.done).map(
          ([month, days]) => `${names[Number(month.slice(5)) - 1]} ${days.join(" ")}`,
        )
      : Object.entries(history.done_by_month).map(([month, count]) => `${month}: ${count}`);
  return parts.length === 0 ? "never done" : `done ${parts.join(", ")}`;
}
