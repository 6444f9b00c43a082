import type { Tool } from "../tool.ts";
import { completeHabit } from "./complete-habit.ts";
import { createHabit } from "./create-habit.ts";
import { createTodo } from "./create-todo.ts";
import { deleteHabit } from "./delete-habit.ts";
import { deleteTodo } from "./delete-todo.ts";
import { getPendingTodos } from "./get-pending-todos.ts";
import { getTodayHabits } from "./get-today-habits.ts";
import { toggleTodo } from "./toggle-todo.ts";
import { updateHabit } from "./update-habit.ts";
import { updateTodo } from "./update-todo.ts";

/** Every tool, in the order of tools/list. */
export const tools: readonly Tool[] = [
  getTodayHabits,
  getPendingTodos,
  createHabit,
  completeHabit,
  updateHabit,
  deleteHabit,
  createTodo,
  updateTodo,
  toggleTodo,
  deleteTodo,
];
