import { exampleHabit } from "../habit/examples.ts";
import { exampleTodo } from "../todo/examples.ts";

/** The example habit was completed on the last four days, and nothing else was done. */
export const exampleDashboard = {
  habits: [exampleHabit],
  todos: [exampleTodo],
  activity_strip: {
    "2026-11-07": 0,
    "2026-11-08": 0,
    "2026-11-09": 0,
    "2026-11-10": 0,
    "2026-11-11": 0,
    "2026-11-12": 0,
    "2026-11-13": 0,
    "2026-11-14": 0,
    "2026-11-15": 0,
    "2026-11-16": 1,
    "2026-11-17": 1,
    "2026-11-18": 1,
    "2026-11-19": 1,
    "2026-11-20": 0,
  },
  stats: { total_habits: 1, completed_today: 0, total_streak: 4, pending_todos: 1 },
};
