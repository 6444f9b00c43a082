import { type Static, Type } from "typebox";
import * as habit from "../../../../shared/contracts/habit/commands.ts";
import { Amount, CompletionNote, type Habit, sumOn } from "../../../../shared/contracts/habit/fields.ts";
import { CalendarDate, Flag, Id } from "../../../../shared/contracts/kernel/fields.ts";
import { invalid } from "../../../../shared/errors.ts";
import { does, type ToolResult, tool } from "../tool.ts";
import { factsOfHabit, HabitDayFacts, ofDay } from "./habit.ts";

export const completeHabitTool = tool({
  name: "complete-habit",
  title: "Complete habit",
  description:
    "Mark habits done today, or on dates (up to 366 days back), and bump their streaks; amount only adds to the day; note is kept with the day; undo takes the day back. For a bad habit: avoided today.",
  scopes: ["habits:write"],
  destructive: true,
  // An amount is added each time.
  idempotent: false,
  arguments: Type.Object({
    habit_id: Id,
    date: Type.Optional(CalendarDate),
    amount: Type.Optional(Amount),
    note: Type.Optional(CompletionNote),
    undo: Type.Optional(Flag),
  }),
  many: { habit_ids: "habit_id", dates: "date" },
  act({ undo = false, ...day }) {
    if (!undo) return does(habit.completeHabit, day, completed);
    const { amount, note, ...undone } = day;
    const beside = amount === undefined ? "note" : "amount";
    if ((amount ?? note) !== undefined)
      return invalid({ [beside]: [`${beside} cannot be given beside undo.`] });
    return does(habit.undoHabit, undone, taken);
  },
  facts: HabitDayFacts,
});

type HabitOutput = Static<typeof Habit>;
type Day = Readonly<{ date?: string; amount?: number }>;

function completed(shown: HabitOutput, day: Day): ToolResult {
  if (day.amount !== undefined && !isReached(shown, day)) return ofDay(shown, day, `Added ${day.amount}`);
  return ofDay(shown, day, shown.type === "bad" ? "Avoided" : "Done");
}

const isReached = (shown: HabitOutput, { date }: Day): boolean =>
  date === undefined ? shown.is_completed_today : (sumOn(shown, date) ?? 0) >= (shown.target ?? 0);

function taken(shown: HabitOutput, day: Day): ToolResult {
  if (shown.type !== "bad") return ofDay(shown, day, "Not done", " any more");
  const { grace_days } = shown;
  const result = ofDay(shown, day, "Not avoided", " any more");
  const facts = { ...result.facts, habit: { ...factsOfHabit(shown), grace_days } };
  return { ...result, lines: [...result.lines, lapseWords(grace_days)], facts };
}

/** A person who tells of a lapse wants to know its effect on the streak. */
const lapseWords = (graceDays: number): string =>
  graceDays === 0
    ? "grace days 0: one lapse ends a streak"
    : `grace days ${graceDays}: a streak ends by more lapses in a row`;
