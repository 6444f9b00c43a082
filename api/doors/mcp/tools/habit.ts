import { type Static, type TSchema, Type } from "typebox";
import {
  type Habit,
  HabitOfWeek,
  habitFields,
  roundAmount,
  sumOn,
} from "../../../../shared/contracts/habit/fields.ts";
import {
  fieldsWith,
  optionalValues,
  schemasOf,
} from "../../../../shared/contracts/kernel/declared-fields.ts";
import { CalendarDate, Nullable } from "../../../../shared/contracts/kernel/fields.ts";
import {
  categoryNames,
  factsBy,
  joined,
  LeanObject,
  quoteStored,
  type ToolResult,
  wordsOfOthers,
} from "../tool.ts";

/** The arguments that describe a habit, without its name: a new one needs that. */
const { name: __, ...fields } = optionalValues(fieldsWith(habitFields, "create"));
export const habitArguments = { ...fields, ...categoryNames };

type Frequency = Static<(typeof habitFields)["frequency"]["value"]>;

/** A schedule alone says enough. */
export const frequencyOf = (given: Readonly<{ frequency?: Frequency; schedule?: object }>): Frequency =>
  given.frequency ?? (given.schedule === undefined ? "daily" : "custom");

const shown = HabitOfWeek.properties;
const { category_id: _, grace_days, ...declared } = schemasOf(habitFields, "shown");

/** Values by month, such as 2026-11, or by date. */
const by = (value: TSchema) => Type.Optional(Type.Object({}, { additionalProperties: value }));

/** A habit as the facts of tools have it. */
export const HabitFacts = LeanObject({
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

export function oneHabit(verb: string, habit: HabitOutput): ToolResult {
  const reachesNobody = habit.reaches === "nobody";
  return {
    lines: [`${verb} ${habitLine(habit)}`],
    facts: { habit: { ...factsOfHabit(habit), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export function changedHabit(habit: HabitOutput): ToolResult {
  const { grace_days } = habit;
  return {
    lines: [`Changed ${habitLine(habit)}`, `grace days ${grace_days}`],
    facts: { habit: { ...factsOfHabit(habit), grace_days } },
  };
}

/** The result of an act on one day, which is today without a date. */
export function ofDay(
  habit: HabitOutput,
  { date }: Readonly<{ date?: string }>,
  verb: string,
  end = "",
): ToolResult {
  if (date === undefined) return oneHabit(`${verb} today${end}:`, habit);
  // The sum of a day that was just added to is missing only where the day is too old to be in the answer.
  const amount = habit.target === null ? undefined : (sumOn(habit, date) ?? (end === "" ? undefined : 0));
  const counted = amount === undefined ? "" : `, ${amountOf(habit, amount)}`;
  const { facts, ...result } = oneHabit(`${verb} on ${date}${end}${counted}:`, habit);
  return { ...result, facts: { ...facts, date, ...(amount !== undefined && { amount }) } };
}

export function factsOfHabit(habit: ShownHabit): Record<string, unknown> {
  const { history, counted } = habit;
  return factsBy(HabitFacts, habit, {
    ...{ this_week: thisWeek(habit), category: habit.category?.name ?? null },
    // Told where they matter.
    ...{ grace_days: null, reaches: null },
    ...history,
    ...counted,
  });
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

export type HabitOutput = Static<typeof Habit>;
export type ShownHabit = HabitOutput &
  Partial<Static<typeof HabitOfWeek>> & { history?: DaysDone | undefined; counted?: AmountsDone | undefined };

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
export type DaysDone = Readonly<
  { done: Record<string, number[]> } | { done_by_month: Record<string, number> }
>;

/** The sums of the days on which something was added, or over a long time those of the months. */
export type AmountsDone = Readonly<
  { amounts: Record<string, number> } | { amount_by_month: Record<string, number> }
>;

export const totalOf = (days: readonly Readonly<{ amount: number }>[]): number =>
  roundAmount(days.reduce((sum, { amount }) => sum + amount, 0));

/** `14 in all (2026-11-18: 6, 2026-11-19: 8)`. */
function amountWords(done: AmountsDone): string {
  const parts = Object.entries("amounts" in done ? done.amounts : done.amount_by_month);
  const total = totalOf(parts.map(([, amount]) => ({ amount })));
  const each = parts.map(([when, amount]) => `${when}: ${amount}`).join(", ");
  return parts.length === 0 ? "0 in all" : `${total} in all (${each})`;
}

const names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `done Oct 30 31, Nov 1`, or `done 2026-10: 12, 2026-11: 3`. Days outside of the period are unknown. */
function historyWords(history: DaysDone): string {
  const parts =
    "done" in history
      ? Object.entries(history.done).map(
          ([month, days]) => `${names[Number(month.slice(5)) - 1]} ${days.join(" ")}`,
        )
      : Object.entries(history.done_by_month).map(([month, count]) => `${month}: ${count}`);
  return parts.length === 0 ? "not done then" : `done ${parts.join(", ")}`;
}
