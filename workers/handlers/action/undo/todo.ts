import type { TodoRow } from "../../../../shared/db/entities.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  conflictAt,
  idOf,
  inPresentCategory,
  oldValues,
  type TableUndo,
  touched,
} from "./changed-row.ts";
import { isAsMade } from "./reminder.ts";

const completion = ["is_completed", "completed_at", "completed_on", "next_todo_id"];
const series = ["recurrence", "recurrence_anchor"];

export const takeBackTodo: TableUndo = {
  restore(context, row) {
    if (context.todos.get(idOf(row))) return [conflictAt(row, "made_again")];
    const { patch, conflicts } = inPresentCategory(context, row, { patch: { ...row.before }, conflicts: [] });
    context.todos.insert({ ...(patch as Omit<TodoRow, "id">), id: idOf(row) });
    return conflicts;
  },
  remove(context, row, rows) {
    const { todos, reminders } = context;
    const id = idOf(row);
    const current = todos.get(id);
    if (!current) return [conflictAt(row, "deleted_since")];
    // Keeping an edited successor does not count as a change of this todo.
    const conflicts = touched(context, row, { ...current, next_todo_id: row.after?.next_todo_id });
    if (conflicts.length > 0) return conflicts;
    const reminder = reminders.get(id);
    const made = rows.get(`reminders/${id}`)?.after;
    if (reminder && !(made && isAsMade(made, reminder)))
      return [conflictAt(row, "changed_since", ["reminder"])];
    if (reminder) reminders.remove(id);
    todos.remove(id);
    return [];
  },
  change(context, row) {
    const current = context.todos.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const isOtherSeries = row.before !== undefined && "recurrence" in row.before;
    const groups = [completion, isOtherSeries ? [...series, "due_date"] : series];
    const old = inPresentCategory(context, row, oldValues(row, current, groups));
    const patch: Partial<TodoRow> = { ...old.patch, ...keptSuccessor(context, row, old.patch) };
    const isWithoutDate = (patch.due_date ?? current.due_date) == null || patch.due_date === null;
    const recurs = "recurrence" in patch ? patch.recurrence != null : current.recurrence != null;
    if (recurs && isWithoutDate) {
      const { due_date: _, recurrence: __, recurrence_anchor: ___, ...others } = patch;
      update(context, current, others);
      return [...old.conflicts, conflictAt(row, "changed_since", ["recurrence"])];
    }
    update(context, current, patch);
    return old.conflicts;
  },
};

/** The todo keeps leading to a successor that somebody changed and that therefore stays. */
function keptSuccessor(
  { todos }: HandlerContext,
  { after }: ChangedRow,
  patch: Record<string, unknown>,
): Partial<TodoRow> {
  const next = after?.next_todo_id;
  const stays = "next_todo_id" in patch && typeof next === "number" && todos.get(next) !== undefined;
  return stays ? { next_todo_id: next } : {};
}

function update({ todos, now }: HandlerContext, row: TodoRow, patch: Partial<TodoRow>): void {
  if (Object.keys(patch).length > 0) todos.update(row, { ...patch, updated_at: now });
}
