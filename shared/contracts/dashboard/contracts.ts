import { type Static, Type } from "typebox";
import type { Today } from "../../domain/day/day.ts";
import { exampleHabit } from "../habit/examples.ts";
import { Habit } from "../habit/fields.ts";
import { habitLine } from "../habit/result.ts";
import { query } from "../kernel/contract.ts";
import { titled } from "../kernel/fields.ts";
import { exampleTodo } from "../todo/examples.ts";
import { Todo } from "../todo/fields.ts";
import { todoLine } from "../todo/result.ts";

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

const Dashboard = titled(
  "Dashboard",
  Type.Object({
    habits: Type.Array(Habit),
    todos: Type.Array(Todo),
    activity_strip: titled("ActivityStrip", Type.Record(Type.String(), Type.Integer())),
    stats: titled(
      "Stats",
      Type.Object({
        total_habits: Type.Integer(),
        completed_today: Type.Integer(),
        total_streak: Type.Integer(),
        pending_todos: Type.Integer(),
      }),
    ),
  }),
);

export const getDashboard = query({
  name: "dashboard.get",
  scopes: ["habits:read", "todos:read"],
  summary: "Habits due today, pending todos, the activity of the last 14 days, and totals",
  rest: [
    {
      operationId: "getDashboard",
      method: "GET",
      path: "/dashboard",
      example: { input: {}, output: exampleDashboard },
    },
  ],
  mcpResource: {
    uri: "kept://today",
    name: "today",
    title: "Today",
    description: "Habits due today, and todos due today or overdue",
    lines: dayOverview,
    looksAt: "the overview of the day",
  },
  input: Type.Object({}),
  output: Dashboard,
});

type Overview = Readonly<{
  habits: readonly Static<typeof Habit>[];
  todos: readonly Static<typeof Todo>[];
  stats: Readonly<{ pending_todos: number }>;
}>;

/** Habits of the day, and pending todos that are due by it. */
function dayOverview({ habits, todos, stats }: Overview, today: Today): readonly string[] {
  const due = todos.filter(
    ({ due_date, is_overdue }) => is_overdue || (due_date !== null && due_date <= today.date),
  );
  // Todos are ordered by due date, so todos after the last shown one are due later, unless that one is due itself.
  const isCut = due.length === todos.length && todos.length < stats.pending_todos;
  return [
    "Habits due today:",
    ...(habits.length === 0 ? ["No habits are due."] : habits.map(habitLine)),
    `Todos due today or overdue, of ${stats.pending_todos} pending ones:`,
    ...(due.length === 0 ? ["No todos are due."] : due.map(todoLine)),
    ...(isCut ? [`These are the first ${due.length}; get-pending-todos lists all.`] : []),
  ];
}
