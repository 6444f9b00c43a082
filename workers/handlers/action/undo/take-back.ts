import type { SeenTable } from "../../../../shared/domain/action/image-fields.ts";
import type { HandlerContext } from "../../handler.ts";
import { takeBackCategory } from "./category.ts";
import type { ChangedRow, ChangedRows, Conflict, TableUndo } from "./changed-row.ts";
import { takeBackCompletion } from "./completion.ts";
import { takeBackHabit } from "./habit.ts";
import { takeBackReminder } from "./reminder.ts";
import { takeBackTodo } from "./todo.ts";

const undoOf: Readonly<Record<SeenTable, TableUndo>> = {
  categories: takeBackCategory,
  habits: takeBackHabit,
  todos: takeBackTodo,
  habit_completions: takeBackCompletion,
  reminders: takeBackReminder,
};

/** A table comes after those that it refers to. */
const order: readonly SeenTable[] = ["categories", "habits", "todos", "habit_completions", "reminders"];

/**
 * Undoes an action's changes of rows where the rows still are as it left them. Removed rows come first and new rows
 * next, because fields of the others refer to both.
 * @returns the conflicts
 */
export function takeBack(context: HandlerContext, rows: ChangedRows): Conflict[] {
  const inOrder = [...rows.values()].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
  const isGone = ({ after }: ChangedRow) => after === undefined;
  const isMade = ({ before }: ChangedRow) => before === undefined;
  return [
    ...inOrder.filter(isGone).flatMap((row) => undoOf[row.table].restore(context, row, rows)),
    ...inOrder
      .filter(isMade)
      .toReversed()
      .flatMap((row) => undoOf[row.table].remove(context, row, rows)),
    ...inOrder
      .filter((row) => !isGone(row) && !isMade(row))
      .flatMap((row) => undoOf[row.table].change(context, row, rows)),
  ];
}
