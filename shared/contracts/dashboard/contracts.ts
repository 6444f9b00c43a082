import { Type } from "typebox";
import { exampleHabit } from "../habit/examples.ts";
import { Habit } from "../habit/fields.ts";
import { query, route } from "../kernel/contract.ts";
import { titled, titledObject } from "../kernel/fields.ts";
import { exampleTodo } from "../todo/examples.ts";
import { Todo } from "../todo/fields.ts";

/** The example habit was completed on the last four days, and nothing else was done. */
const exampleDashboard = {
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

const Dashboard = titledObject("Dashboard", {
  habits: Type.Array(Habit),
  todos: Type.Array(Todo),
  activity_strip: titled("ActivityStrip", Type.Record(Type.String(), Type.Integer())),
  stats: titledObject("Stats", {
    total_habits: Type.Integer(),
    completed_today: Type.Integer(),
    total_streak: Type.Integer(),
    pending_todos: Type.Integer(),
  }),
});

export const getDashboard = query({
  name: "dashboard.get",
  scopes: ["habits:read", "todos:read"],
  summary: "Habits due today, pending todos, the activity of the last 14 days, and totals",
  rest: [route("getDashboard", "GET", "/dashboard", { input: {}, output: exampleDashboard })],
  input: Type.Object({}),
  output: Dashboard,
});
