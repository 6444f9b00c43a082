import type { CommandName, QueryName } from "../../shared/contracts/catalogue.ts";

/** A query for one resource, and its input field that names the resource. */
type Reading = Readonly<{ query: QueryName; id: string }>;

const category = { query: "category.get", id: "category_id" } as const;
const habit = { query: "habit.get", id: "habit_id" } as const;
const todo = { query: "todo.get", id: "todo_id" } as const;

/** Changes that answer with the resource itself, each with the query that gives the same answer later. */
export const answeredByResource: Readonly<Partial<Record<CommandName, Reading>>> = {
  "category.create": category,
  "category.update": category,
  "habit.create": habit,
  "habit.update": habit,
  "habit.complete": habit,
  "habit.undo": habit,
  "habit.skip": habit,
  "habit.unskip": habit,
  "todo.create": todo,
  "todo.update": todo,
  "todo.toggle": todo,
};
