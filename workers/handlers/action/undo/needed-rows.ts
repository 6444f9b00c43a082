import { deletionKinds } from "../../../../shared/db/entities/deletion.ts";
import {
  forKeyShare,
  forUpdate,
  type RowRequest,
  settingsForUpdate,
  withoutLock,
} from "../../../unit-of-work/row-request.ts";
import { lockTodo } from "../../todo/rows.ts";
import { type ChangedRow, type ChangedRows, idOf } from "./changed-row.ts";

/** The rows that taking an action back looks at and changes. The user's zone turns wall times into instants. */
export const neededRows = (rows: ChangedRows): RowRequest[] => [
  settingsForUpdate,
  ...[...rows.values()].flatMap((row) => [...ownRows(row), ...categoriesOf(row)]),
];

function ownRows(row: ChangedRow): RowRequest[] {
  const id = idOf(row);
  const isGone = row.after === undefined;
  switch (row.table) {
    case "todos":
    case "reminders":
      return lockTodo({ todo_id: id });
    case "habits":
      return [forUpdate("habits", id), ...(isGone ? deletion(deletionKinds.habits, id) : [])];
    case "habit_completions":
      return [forUpdate("habits", id), ...withoutLock("habit_completions", [id, row.key[1] ?? ""])];
    case "categories":
      return [
        forUpdate("categories", id),
        ...(isGone ? deletion(deletionKinds.categories, id) : [forMembers(id)]),
      ];
  }
}

const deletion = (kind: number, id: number): RowRequest[] => withoutLock("deletions", [kind, id]);

const forMembers = (key: number): RowRequest => ({ table: "category_members", key, lock: "none" });

const categoriesOf = ({ before, after }: ChangedRow): RowRequest[] =>
  [before?.category_id, after?.category_id].flatMap((id) =>
    typeof id === "number" ? forKeyShare("categories", id) : [],
  );
