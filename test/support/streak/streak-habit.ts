import { expect } from "bun:test";
import { addDays, dayNumber } from "../../../shared/domain/day/day.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import * as streak from "../../../shared/domain/habit/streak.ts";
import type { Command, History } from "./streak-history.ts";
import {
  type Diary,
  doneDays,
  emptyDiary,
  isDue,
  jumpTo,
  passUntil,
  recompute,
  removeCompletion,
} from "./streak-spec.ts";

/** A habit whose streak is kept and whose diary is written, so that both can be compared. */
export type Habit = {
  rules: Rules;
  state: streak.StreakState;
  diary: Diary;
  today: string;
  furthest: string;
};

export const newHabit = ({ rules, start }: History): Habit => ({
  rules,
  state: streak.newStreak(),
  diary: emptyDiary(rules, dayNumber(start)),
  today: start,
  furthest: start,
});

/** A skipped day that came again may have passed since the last change, which only the next one takes note of. */
export const daysPassed = (habit: Habit, today: string): Habit => ({
  ...habit,
  state: streak.moveDay(habit.state, habit.rules, today, today),
});

/** Applies a command to the state and to the diary. The state must refuse what contradicts the diary. */
export function obey(habit: Habit, command: Command): void {
  const { rules, diary } = habit;
  const day = dayNumber(command.today);
  passUntil(diary, day);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (habit.today > habit.furthest) habit.furthest = habit.today;
  if (command.kind === "complete" || command.kind === "undo") {
    completeOrUndo(habit, command);
  } else if (command.kind === "edit") {
    habit.state = streak.editRules(habit.state, rules, command.to, command.today);
    habit.rules = command.to;
    if (!sameDemand(rules, command.to)) diary.deeds.push({ on: day, what: "edited", to: command.to });
  } else {
    habit.state = streak.moveDay(habit.state, rules, command.today, command.to);
    jumpTo(diary, dayNumber(command.to));
  }
}

type CompleteOrUndo = Extract<Command, { date: string }>;

function completeOrUndo(habit: Habit, { kind, date, today }: CompleteOrUndo): void {
  const { rules, state, diary } = habit;
  const day = dayNumber(date);
  expect(streak.firstChangeableDay(state) <= date).toBe(true);
  const change = kind === "complete" ? streak.complete : streak.undo;
  const next = change(state, rules, date, today);
  expect(typeof next === "string").toBe(doneDays(diary).includes(day) === (kind === "complete"));
  if (typeof next === "string") return;
  habit.state = next;
  if (kind === "complete") diary.deeds.push({ on: day, what: "completed" });
  else removeCompletion(diary, day);
}

/** Compares every column, and every day that today could become, with the diary. */
export function agree(habit: Habit): void {
  const { rules, state, diary, furthest } = daysPassed(habit, habit.today);
  const { next_due: _, recent_dates, ...columns } = streak.view(state, rules);
  expect(columns).toEqual(recompute(diary));
  const done = doneDays(diary);
  const days = Array.from({ length: 14 }, (_, i) => addDays(furthest, i - 2));
  expect(days.filter((date) => recent_dates.includes(date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date))),
  );
  expect(days.filter((date) => streak.isDueOn(state, rules, date))).toEqual(
    days.filter((date) => done.includes(dayNumber(date)) || isDue(rules, done, dayNumber(date))),
  );
}
