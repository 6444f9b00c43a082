import type { SeenTable } from "../../../../shared/domain/action/image-fields.ts";
import type { HandlerContext } from "../../handler.ts";
import { takeBackAmount } from "./amount.ts";
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
  habit_amounts: takeBackAmount,
  reminders: takeBackReminder,
};

/** A table comes after those that it refers to. */
const order: readonly SeenTable[] = [
  "categories",
  "habits",
  "todos",
  "habit_completions",
  "habit_amounts",
  "reminders",
];

/**
 * Undoes an action's changes of rows that are still as the action left them. Removed rows come first and new rows
 * next, because fields of others refer to both. A new category goes last, when its members have left it.
 * @returns the conflicts
 */
export function takeBack(context: HandlerContext, rows: ChangedRows): Conflict[] {
  const inOrder = [...rows.values()].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
  const isGone = ({ after }: ChangedRow) => after === undefined;
  const isMade = ({ before }: ChangedRow) => before === undefined;
  const remove = (isWanted: (row: ChangedRow) => boolean) =>
    inOrder
      .filter((row) => isMade(row) && isWanted(row))
      .toReversed()
      .flatMap((row) => undoOf[row.table].remove(context, row, rows));
  const isCategory = ({ table }: ChangedRow) => table === "categories";
  return [
    ...inOrder.filter(isGone).flatMap((row) => undoOf[row.table].restore(context, row, rows)),
    ...remove((row) => !isCategory(row)),
    ...inOrder
      .filter((row) => !isGone(row) && !isMade(row))
      .flatMap((row) => undoOf[row.table].change(context, row, rows)),
    ...remove(isCategory),
  ];
}
