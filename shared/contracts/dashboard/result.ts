import type { Static } from "typebox";
import type { Today } from "../../domain/day/today.ts";
import { habitLine } from "../habit/result.ts";
import type { Habit } from "../habit/schema.ts";
import { todoLine } from "../todo/result.ts";
import type { Todo } from "../todo/schema.ts";

type Overview = Readonly<{
  habits: readonly Static<typeof Habit>[];
  todos: readonly Static<typeof Todo>[];
  stats: Readonly<{ pending_todos: number }>;
}>;

/** Habits of the day, and pending todos that are due by it. */
export function dayOverview({ habits, todos, stats }: Overview, today: Today): readonly string[] {
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
