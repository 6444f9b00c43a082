import type { Static } from "typebox";
import type { Contract } from "../../../shared/contracts/catalogue.ts";
import { getDashboard } from "../../../shared/contracts/dashboard/contracts.ts";
import { getHabit } from "../../../shared/contracts/habit/queries.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import type { Fields } from "../../http/input.ts";
import { habitAt } from "../../queries/action/things.ts";
import { type HabitOutput, habitLine } from "./tools/habit.ts";
import { todoLine } from "./tools/todo.ts";

/** A read that people attach to a conversation, from a menu of their MCP client. */
export type Resource = Readonly<{
  /** Its address; `{id}` at the end stands for the id of one thing. */
  uri: string;
  name: string;
  title: string;
  description: string;
  contract: Contract;
  /** @returns the input of the read; undefined if an address means another resource, or none */
  inputAt(uri: unknown): Fields | undefined;
  lines(output: unknown, today: Today): readonly string[];
  /** Its object in the log, after “Looked at”; the thing of its id follows. */
  looksAt: string;
}>;

export const resources: readonly Resource[] = [
  {
    uri: "kept://today",
    name: "today",
    title: "Today",
    description: "Habits due today, and todos due today or overdue",
    contract: getDashboard,
    inputAt: (uri) => (uri === "kept://today" ? {} : undefined),
    lines: dayOverview,
    looksAt: "the overview of the day",
  },
  {
    uri: "kept://habits/{id}",
    name: "habit",
    title: "Habit",
    description: "One habit with its streak; get-today-habits lists ids",
    contract: getHabit,
    inputAt: habitAt,
    lines(habit: HabitOutput) {
      const { grace_days, completions_count: count } = habit;
      return [
        habitLine(habit),
        `grace days ${grace_days}, completed ${count === 1 ? "once" : `${count} times`}`,
      ];
    },
    looksAt: "the habit",
  },
];

/** Habits of the day, and pending todos that are due by it. */
function dayOverview(
  { habits, todos, stats }: Static<typeof getDashboard.output>,
  { date }: Today,
): string[] {
  const due = todos.filter(
    ({ due_date, is_overdue }) => is_overdue || (due_date !== null && due_date <= date),
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
