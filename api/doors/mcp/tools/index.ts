import type { Tool } from "../tool.ts";
import { completeHabitTool } from "./complete-habit.ts";
import { createHabitTool } from "./create-habit.ts";
import { createTodoTool } from "./create-todo.ts";
import { deleteHabitTool } from "./delete-habit.ts";
import { deleteTodoTool } from "./delete-todo.ts";
import { getPendingTodosTool } from "./get-pending-todos.ts";
import { getTodayHabitsTool } from "./get-today-habits.ts";
import { toggleTodoTool } from "./toggle-todo.ts";
import { updateHabitTool } from "./update-habit.ts";
import { updateTodoTool } from "./update-todo.ts";

/** Every tool, in the order of tools/list. */
export const tools: readonly Tool[] = [
  getTodayHabitsTool,
  getPendingTodosTool,
  createHabitTool,
  completeHabitTool,
  updateHabitTool,
  deleteHabitTool,
  createTodoTool,
  updateTodoTool,
  toggleTodoTool,
  deleteTodoTool,
];
