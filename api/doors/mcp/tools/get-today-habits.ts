import { type Static, Type } from "typebox";
import type { TodayHabits } from "../../../../shared/contracts/habit/fields.ts";
import {
  checkToday,
  listsAll,
  TodayFilters,
  type TodayInput,
} from "../../../../shared/contracts/habit/filters.ts";
import { todayHabits } from "../../../../shared/contracts/habit/queries.ts";
import { CalendarDate } from "../../../../shared/contracts/kernel/fields.ts";
import { daysBetween } from "../../../../shared/domain/day/day.ts";
import { reads, type ToolResult, tool } from "../tool.ts";
import {
  type AmountsDone,
  type DaysDone,
  factsOfHabit,
  HabitFacts,
  habitLine,
  type ShownHabit,
  totalOf,
} from "./habit.ts";

export const getTodayHabitsTool = tool({
  name: "get-today-habits",
  title: "Today's habits",
  description:
    "List habits due today, or all, with streaks; query and from look at all. from and to add the days each was done. A bad habit counts as done once avoided today.",
  scopes: ["habits:read"],
  destructive: false,
  idempotent: true,
  arguments: TodayFilters,
  alsoTold: checkToday,
  act: (args) => reads(todayHabits, args, dueHabits),
  facts: Type.Object({
    from: Type.Optional(CalendarDate),
    to: Type.Optional(CalendarDate),
    habits: Type.Array(HabitFacts),
    total: Type.Optional(Type.Integer()),
    next_cursor: Type.Optional(Type.Integer()),
  }),
  looksAt: "the habits",
});

function dueHabits(today: Static<typeof TodayHabits>, asked: TodayInput): ToolResult {
  const { habits, total, period, next_cursor } = today;
  const shown = habits.map((habit) => (period ? inPast(habit, period) : habit));
  const isCut = next_cursor !== null;
  return {
    lines: [
      ...(period ? [`Days done from ${period.from} to ${period.to}:`] : []),
      ...(shown.length === 0 ? [noneOf(asked)] : shown.map(habitLine)),
      ...(isCut ? [`These are ${habits.length} of ${total} habits. More with cursor ${next_cursor}`] : []),
    ],
    facts: { ...period, habits: shown.map(factsOfHabit), ...(isCut && { total, next_cursor }) },
  };
}

type Period = Readonly<{ from: string; to: string }>;

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

type DayAmount = Readonly<{ date: string; amount: number }>;

/** @param days in the order of dates */
function amountsOf(days: readonly DayAmount[], length: number): AmountsDone {
  if (length <= mostListedDays)
    return { amounts: Object.fromEntries(days.map(({ date, amount }) => [date, amount])) };
  const months = [...Map.groupBy(days, ({ date }) => date.slice(0, 7))];
  return { amount_by_month: Object.fromEntries(months.map(([month, its]) => [month, totalOf(its)])) };
}
