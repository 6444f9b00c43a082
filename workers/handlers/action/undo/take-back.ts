import type { SeenTable } from "../../../../shared/domain/action/image-fields.ts";
import {
  forKeyShare,
  forUpdate,
  type RowRequest,
  settingsForUpdate,
  withoutLock,
} from "../../../unit-of-work/row-request.ts";
import type { HandlerContext } from "../../handler.ts";
import { lockTodo } from "../../todo/todo.ts";
import { takeBackCategory } from "./category.ts";
import type { ChangedRow, ChangedRows, Conflict, TableUndo } from "./changed-row.ts";
import { takeBackAmount, takeBackCompletion } from "./day.ts";
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

/** The rows that an undo reads and changes. The settings have the zone that turns wall times into instants. */
export const neededRows = (actions: readonly ChangedRows[]): RowRequest[] => [
  settingsForUpdate,
  ...actions.flatMap((rows) => [...rows.values()]).flatMap((row) => [...ownRows(row), ...categoriesOf(row)]),
];

function ownRows({ table, key, after }: ChangedRow): RowRequest[] {
  const id = Number(key[0]);
  switch (table) {
    case "todos":
    case "reminders":
      return lockTodo({ todo_id: id });
    case "habits":
      return [forUpdate("habits", id)];
    case "habit_completions":
    case "habit_amounts":
      return [forUpdate("habits", id), ...dayTables.flatMap((day) => withoutLock(day, [id, key[1] ?? ""]))];
    case "categories":
      return [forUpdate("categories", id), ...(after ? [forMembers(id)] : [])];
  }
}

/** A day's sum decides whether it is completed. */
const dayTables = ["habit_completions", "habit_amounts"] as const;

const forMembers = (key: number): RowRequest => ({ table: "category_members", key, lock: "none" });

const categoriesOf = ({ before, after }: ChangedRow): RowRequest[] =>
  [before?.category_id, before?.former_category_id, after?.category_id].flatMap((id) =>
    typeof id === "number" ? forKeyShare("categories", id) : [],
  );
