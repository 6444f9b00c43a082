import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import type { TodoRow } from "../../../../shared/db/entities.ts";
import { newColumns } from "../../columns.ts";
import type { HandlerContext } from "../../handler.ts";
import { withItsReminder } from "../../todo/reminder.ts";
import {
  type ChangedRow,
  type ChangedRows,
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
const due = ["due_date", "due_time"];
/** Images of earlier releases lack columns that came later. */
const usualColumns = newColumns(todoFields, {});

export const takeBackTodo: TableUndo = {
  restore(context, row) {
    if (context.todos.get(idOf(row))) return [conflictAt(row, "made_again")];
    const { patch, conflicts } = inPresentCategory(context, row, { patch: { ...row.before }, conflicts: [] });
    context.todos.insert({ ...usualColumns, ...(patch as Omit<TodoRow, "id">), id: idOf(row) });
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
  change(context, row, rows) {
    const current = context.todos.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const isOtherSeries = row.before !== undefined && "recurrence" in row.before;
    const groups = isOtherSeries ? [completion, [...series, ...due]] : [completion, series, due];
    const made = withKeptLink(row, current);
    const old = inPresentCategory(context, row, oldValues(context, made, current, groups));
    const patch: Partial<TodoRow> = { ...old.patch, ...keptSuccessor(context, row, rows, old.patch) };
    const missing = dateMissingFor({ ...current, ...patch });
    if (missing === undefined) {
      update(context, current, patch);
      return old.conflicts;
    }
    const { due_date: _, due_time: __, recurrence: ___, recurrence_anchor: ____, ...others } = patch;
    update(context, current, others);
    return [...old.conflicts, conflictAt(row, "changed_since", [missing])];
  },
};

/** A series and a due time need a due date. */
function dateMissingFor({ due_date, due_time, recurrence }: TodoRow): "recurrence" | "due_time" | undefined {
  if (due_date != null) return undefined;
  if (recurrence != null) return "recurrence";
  return due_time == null ? undefined : "due_time";
}

/** An open todo may lead to a successor that stayed when its completion was taken back: that is no change of it. */
const withKeptLink = (row: ChangedRow, { is_completed, next_todo_id }: TodoRow): ChangedRow =>
  row.after?.is_completed === false && !is_completed
    ? { ...row, after: { ...row.after, next_todo_id } }
    : row;

/** The todo keeps leading to a successor that the action made, and that stays because somebody changed it. */
function keptSuccessor(
  { todos }: HandlerContext,
  { after }: ChangedRow,
  rows: ChangedRows,
  patch: Record<string, unknown>,
): Partial<TodoRow> {
  const next = after?.next_todo_id;
  const made = rows.get(`todos/${next}`);
  const stays = made && !made.before && todos.get(idOf(made)) !== undefined;
  return "next_todo_id" in patch && stays ? { next_todo_id: idOf(made) } : {};
}

function update(context: HandlerContext, row: TodoRow, patch: Partial<TodoRow>): void {
  const { todos, now } = context;
  if (Object.keys(patch).length > 0)
    withItsReminder(context, todos.update(row, { ...patch, updated_at: now }));
}
