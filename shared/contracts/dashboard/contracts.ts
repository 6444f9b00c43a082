import { Type } from "typebox";
import { Habit } from "../habit/schema.ts";
import { query } from "../kernel/contract.ts";
import { titled } from "../kernel/fields.ts";
import { Todo } from "../todo/schema.ts";
import { exampleDashboard } from "./example.ts";
import { dayOverview } from "./result.ts";

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
      status: 200,
      example: { input: {}, output: exampleDashboard },
    },
  ],
  mcpResource: {
    uri: "kept://today",
    name: "today",
    title: "Today",
    description: "Habits due today, and todos due today or overdue",
    lines: dayOverview,
    looksAt: () => ["the overview of the day"],
  },
  input: Type.Object({}),
  output: Dashboard,
});
