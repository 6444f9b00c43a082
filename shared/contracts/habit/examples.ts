import { onlyPage, withUsual } from "../kernel/declared-fields.ts";
import { Habit, habitFields } from "./fields.ts";

/**
 * The habit was completed on the four days before Friday 20 November 2026, the day of all examples, and not yet on
 * that day.
 */
export const exampleHabit = withUsual(Habit, habitFields, {
  id: 12,
  name: "Read 20 pages",
  time_of_day: "evening",
  streak_count: 4,
  longest_streak: 4,
  streak_alive_through: "2026-11-21",
  skipped_dates: [],
  is_completed_today: false,
  recent_amounts: [],
  completions_count: 4,
  created_at: "2026-11-16T08:30:03.517004Z",
  updated_at: "2026-11-19T20:15:44.902177Z",
});

const completed = {
  ...exampleHabit,
  streak_count: 5,
  longest_streak: 5,
  streak_alive_through: "2026-11-22",
  is_completed_today: true,
  completions_count: 5,
};
const skipped = { ...exampleHabit, streak_alive_through: "2026-11-22", skipped_dates: ["2026-11-20"] };
const habit_id = exampleHabit.id;
const onlyId = { habit_id };
const onThatDay = { habit_id, date: "2026-11-20" };

export const habitExamples = {
  list: {
    input: { time_of_day: "evening", completed_today: false },
    output: onlyPage("/habits?time_of_day=evening&completed_today=false&", [exampleHabit]),
  },
  get: { input: onlyId, output: exampleHabit },
  create: {
    input: {
      name: "Go for a run",
      type: "good",
      frequency: "custom",
      schedule: { times_per_week: 3 },
      time_of_day: "morning",
      category_id: 3,
      grace_days: 0,
    },
    output: withUsual(Habit, habitFields, {
      id: 13,
      name: "Go for a run",
      frequency: "custom",
      schedule: { times_per_week: 3 },
      time_of_day: "morning",
      streak_count: 0,
      longest_streak: 0,
      grace_days: 0,
      skipped_dates: [],
      is_completed_today: false,
      recent_amounts: [],
      completions_count: 0,
      category: { id: 3, name: "Health", color: "#16a34a" },
      created_at: "2026-11-20T08:30:41.530918Z",
      updated_at: "2026-11-20T08:30:41.530918Z",
    }),
  },
  replace: {
    input: { habit_id, name: "Read 30 pages", type: "good", frequency: "daily", time_of_day: null },
    output: { ...exampleHabit, name: "Read 30 pages", time_of_day: null },
  },
  change: {
    input: { habit_id, description: "On paper, not on a screen" },
    output: { ...exampleHabit, description: "On paper, not on a screen" },
  },
  remove: { input: onlyId, output: null },
  complete: { input: onThatDay, output: completed },
  undo: { input: onThatDay, output: exampleHabit },
  skip: {
    input: onThatDay,
    output: skipped,
  },
  takeSkipBack: { input: onThatDay, output: exampleHabit },
} as const;

export const exampleCompletions = {
  input: { habit_id, from: "2026-11-18" },
  output: {
    data: [
      { date: "2026-11-19", completed_at: "2026-11-19T20:15:44.902177Z", note: null },
      { date: "2026-11-18", completed_at: "2026-11-18T20:15:03.771940Z", note: null },
    ],
  },
};

export const exampleAmounts = {
  input: { habit_id, from: "2026-11-18" },
  output: {
    data: [
      { date: "2026-11-19", amount: 22, target: 20 },
      { date: "2026-11-18", amount: 20, target: 20 },
    ],
  },
};
