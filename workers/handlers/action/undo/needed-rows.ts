import {
  forKeyShare,
  forUpdate,
  type RowRequest,
  settingsForUpdate,
  withoutLock,
} from "../../../unit-of-work/row-request.ts";
import { lockTodo } from "../../todo/todo.ts";
import type { ChangedRow, ChangedRows } from "./changed-row.ts";

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
