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

/** The habits of the day, and of the pending todos those that it cannot wait for. */
export function dayOverview({ habits, todos, stats }: Overview, today: Today): readonly string[] {
  const due = todos.filter(({ due_date }) => due_date !== null && due_date <= today.date);
  // Todos come in the order of their dates, so those beyond the last one shown are due later, unless it is due itself.
  const isCut = due.length === todos.length && todos.length < stats.pending_todos;
  return [
    "Habits due today:",
    ...(habits.length === 0 ? ["No habits are due."] : habits.map(habitLine)),
    `Todos due today or overdue, of ${stats.pending_todos} pending ones:`,
    ...(due.length === 0 ? ["No todos are due."] : due.map(todoLine)),
    ...(isCut ? [`These are the first ${due.length}; get-pending-todos lists all.`] : []),
  ];
}
