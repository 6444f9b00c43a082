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

/** The rows that taking actions back looks at and changes. The user's zone turns wall times into instants. */
export function neededRows(actions: readonly ChangedRows[]): RowRequest[] {
  const all = actions.flatMap((rows) => [...rows.values()]);
  const goneHabits = new Set(
    all.flatMap((row) => (row.table === "habits" && isGone(row) ? [idOf(row)] : [])),
  );
  return [settingsForUpdate, ...all.flatMap((row) => [...ownRows(row, goneHabits), ...categoriesOf(row)])];
}

const isGone = ({ after }: ChangedRow): boolean => after === undefined;

function ownRows(row: ChangedRow, goneHabits: ReadonlySet<number>): RowRequest[] {
  const id = idOf(row);
  const completion = [id, row.key[1] ?? ""];
  switch (row.table) {
    case "todos":
    case "reminders":
      return lockTodo({ todo_id: id });
    case "habits":
      return [forUpdate("habits", id), ...(isGone(row) ? deletion(deletionKinds.habits, id) : [])];
    case "habit_completions":
      return [
        forUpdate("habits", id),
        ...withoutLock("habit_completions", completion),
        ...(goneHabits.has(id) ? withoutLock("deleted_completions", completion) : []),
      ];
    case "categories":
      return [
        forUpdate("categories", id),
        ...(isGone(row) ? deletion(deletionKinds.categories, id) : [forMembers(id)]),
      ];
  }
}

const deletion = (kind: number, id: number): RowRequest[] => withoutLock("deletions", [kind, id]);

const forMembers = (key: number): RowRequest => ({ table: "category_members", key, lock: "none" });

const categoriesOf = ({ before, after }: ChangedRow): RowRequest[] =>
  [before?.category_id, after?.category_id].flatMap((id) =>
    typeof id === "number" ? forKeyShare("categories", id) : [],
  );
