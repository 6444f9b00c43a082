import { Type } from "typebox";
import { query } from "./contract.ts";
import { Habit } from "./habit-schema.ts";
import { Todo } from "./todo-schema.ts";

const Dashboard = Type.Object({
  habits: Type.Array(Habit),
  todos: Type.Array(Todo),
  activity_strip: Type.Record(Type.String(), Type.Integer()),
  stats: Type.Object({
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
  rest: [{ method: "GET", path: "/dashboard", status: 200 }],
  input: Type.Object({}),
  output: Dashboard,
});
