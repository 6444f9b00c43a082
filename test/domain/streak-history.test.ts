import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dayNumber } from "../../shared/domain/day.ts";
import { sameDemand } from "../../shared/domain/rhythm.ts";
import type { Rules } from "../../shared/domain/schedule.ts";
import * as streak from "../../shared/domain/streak.ts";
import { type Command, type History, livesInOffsets, livesInZones, told } from "./streak-history.ts";
import { type Diary, emptyDiary, isDone, isDue, recompute, strike, write } from "./streak-spec.ts";

type Habit = { rules: Rules; state: streak.StreakState; diary: Diary; today: string };

/** Does a command to both; the incremental streak must refuse exactly what the diary shows to be wrong. */
function obey(habit: Habit, command: Command): void {
  const day = dayNumber(command.today);
  habit.today = command.kind === "move" ? command.to : command.today;
  if (command.kind === "complete") {
    const next = streak.complete(habit.state, habit.rules, command.today);
    expect(next === "already_completed").toBe(isDone(habit.diary, day));
    if (next === "already_completed") return;
    habit.state = next;
    write(habit.diary, { on: day, what: "completed" });
  } else if (command.kind === "undo") {
    const next = streak.undo(habit.state, habit.rules, command.today);
    expect(next === "not_completed").toBe(!isDone(habit.diary, day));
    if (next === "not_completed") return;
    habit.state = next;
    strike(habit.diary, day);
  } else if (command.kind === "edit") {
    habit.state = streak.editRules(habit.state, habit.rules, command.to, command.today);
    if (!sameDemand(habit.rules, command.to)) write(habit.diary, { on: day, what: "edited", to: command.to });
    habit.rules = command.to;
  } else {
    habit.state = streak.moveDay(habit.state, habit.rules, command.today, command.to);
    for (let skipped = day; skipped < dayNumber(command.to); skipped++) habit.diary.skipped.add(skipped);
  }
}

function agree({ rules, state, diary, today }: Habit): void {
  const { next_due: _, recent_dates, ...columns } = streak.view(state, rules);
  expect(columns).toEqual(recompute(diary));
  const done = diary.deeds.filter(({ what }) => what === "completed").map(({ on }) => on);
  for (let offset = -2; offset < 12; offset++) {
    const date = addDays(today, offset);
    expect(recent_dates.includes(date)).toBe(done.includes(dayNumber(date)));
    const due = done.includes(dayNumber(date)) || isDue(rules, done, dayNumber(date));
    expect([date, streak.isDueOn(state, rules, date)]).toEqual([date, due]);
  }
  expect(recent_dates.every((date) => done.includes(dayNumber(date)))).toBe(true);
}

function live(history: History): void {
  const { rules, start, commands } = history;
  const habit = { rules, state: streak.newStreak(rules, start), diary: emptyDiary(rules), today: start };
  try {
    for (const command of commands) obey(habit, command);
    agree(habit);
  } catch (error) {
    throw new Error(`${told(history)}\n\n${error instanceof Error ? error.message : error}`);
  }
}

test("agrees with the full recomputation over 90,000 random lives", () => {
  fc.assert(fc.property(livesInOffsets, live), { numRuns: 90_000, includeErrorInReport: true });
}, 60_000);

test("agrees with it over 10,000 lives in real zones", () => {
  fc.assert(fc.property(livesInZones, live), { numRuns: 10_000, includeErrorInReport: true });
}, 60_000);
