import * as habits from "../../shared/contracts/habit-result.ts";
import * as todos from "../../shared/contracts/todo-result.ts";
import type { Presenter } from "../../shared/contracts/tool-result.ts";

export type { Presented, Presenter } from "../../shared/contracts/tool-result.ts";

/** By contract name. */
export const presenters: Readonly<Record<string, Presenter>> = {
  "habit.today": habits.today,
  "habit.create": habits.created,
  "habit.complete": habits.completed,
  "todo.pending": todos.pending,
  "todo.create": todos.created,
  "todo.update": todos.updated,
  "todo.toggle": todos.toggled,
  "todo.delete": todos.deleted,
};

/** A refusal has day and zone too, so only these are required of every answer. */
export function outputSchema({ facts }: Presenter) {
  const text = { type: "string" };
  return {
    type: "object" as const,
    properties: { today: text, time_zone: text, ...facts },
    required: ["today", "time_zone"],
  };
}
