import type { ImportPartRow } from "../../../shared/db/entities.ts";
import type { HandlerContext } from "../handler.ts";
import { insertHabits } from "./habits.ts";
import type { KnownThings } from "./known.ts";
import { stagedThings } from "./parts.ts";
import { insertTodos } from "./todos.ts";

/** Makes the new things of parts, which then wait no longer. */
export function makeThings(context: HandlerContext, parts: readonly ImportPartRow[], known: KnownThings) {
  const habits = stagedThings(parts, "habits").filter(known.isNew);
  const todos = stagedThings(parts, "todos").filter(known.isNew);
  const completions = insertHabits(context, habits, stagedThings(parts, "histories"), known);
  insertTodos(context, todos, known);
  for (const { part } of parts) context.importParts.remove(part);
  return { categories: 0, habits: habits.length, completions, todos: todos.length };
}
