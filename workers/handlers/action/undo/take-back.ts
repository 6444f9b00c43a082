import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import type { CategoryRow, ReminderRow, TodoRow } from "../../../../shared/db/entities.ts";
import {
  fieldsOf,
  type Image,
  isSame,
  type SeenTable,
} from "../../../../shared/domain/action/image-fields.ts";
import { resolveLocalTime, timestamp } from "../../../../shared/domain/day/day.ts";
import {
  forKeyShare,
  forUpdate,
  type RowRequest,
  settingsForUpdate,
  withoutLock,
} from "../../../unit-of-work/row-request.ts";
import { removeCategory, returnLoadedMembers } from "../../category.ts";
import { newColumns } from "../../columns.ts";
import type { HandlerContext } from "../../handler.ts";
import { withItsReminder } from "../../todo/reminder.ts";
import { lockTodo } from "../../todo/todo.ts";
import {
  type ChangedRow,
  type ChangedRows,
  type Conflict,
  conflictAt,
  idOf,
  oldValues,
  touched,
  type UndoRow,
  undoing,
} from "./changed-row.ts";
import { takeBackAmount, takeBackCompletion, takeBackHabit } from "./habit.ts";

const takeBackCategory = undoing<CategoryRow>({
  rowsIn: ({ categories }) => categories,
  returned: (context, _, { id }) => returnLoadedMembers(context, id),
  conflicts(context, row, current) {
    const conflicts = touched(context, row, current);
    // Undoing the return of a category removes it from its members again.
    const isKept = conflicts.length === 0 && !row.isReturn && isInUse(context, current.id);
    return isKept ? [conflictAt(row, "in_use")] : conflicts;
  },
  remove: (context, { id }) => removeCategory(context, id),
});

/** True if the category has members other than those that this command removed. */
function isInUse({ categoryMembers, habits, todos }: HandlerContext, id: number): boolean {
  const stored = categoryMembers.get(id);
  return (
    [...habits.all(), ...todos.all()].some(({ category_id }) => category_id === id) ||
    (stored?.habit_ids ?? []).some((habitId) => !habits.isKnown(Number(habitId))) ||
    (stored?.todo_ids ?? []).some((todoId) => !todos.isKnown(Number(todoId)))
  );
}

const completion = ["is_completed", "completed_at", "completed_on", "next_todo_id"];
const series = ["recurrence", "recurrence_anchor"];
const due = ["due_date", "due_time"];
const takeBackTodo = undoing<TodoRow>({
  rowsIn: ({ todos }) => todos,
  // An image has no nulls.
  usual: newColumns(todoFields, {}),
  conflicts(context, row, current, rows) {
    // Keeping an edited successor does not count as a change of this todo.
    const conflicts = touched(context, row, { ...current, next_todo_id: row.after?.next_todo_id });
    if (conflicts.length > 0) return conflicts;
    const reminder = context.reminders.get(current.id);
    const made = rows.get(`reminders/${current.id}`)?.after;
    const isOther = reminder && !(made && isAsMade(made, reminder));
    return isOther ? [conflictAt(row, "changed_since", ["reminder"])] : [];
  },
  remove({ todos, reminders }, { id }) {
    if (reminders.get(id)) reminders.remove(id);
    todos.remove(id);
  },
  change(context, row, current, rows) {
    const isOtherSeries = row.before !== undefined && "recurrence" in row.before;
    const groups = isOtherSeries ? [completion, [...series, ...due]] : [completion, series, due];
    const old = oldValues(context, withKeptLink(row, current), current, groups);
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
});

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
  patch: object,
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

const takeBackReminder = undoing<ReminderRow>({
  rowsIn: ({ reminders }) => reminders,
  ownersIn: ({ todos }) => todos,
  // A reminder goes with the todo that was made with it, or stays with that todo.
  follows: (row, rows) =>
    !row.before && rows.get(`todos/${idOf(row)}`)?.before === undefined && rows.has(`todos/${idOf(row)}`),
  present: (context, row) => asOfNow(context, idOf(row), row.before as ReminderRow),
  returned: (context, row) => touchTodo(context, idOf(row)),
  conflicts: (_, row, current) =>
    isAsMade(row.after ?? {}, current) ? [] : [conflictAt(row, "changed_since", ["remind_at"])],
  remove(context, { todo_id }) {
    context.reminders.remove(todo_id);
    touchTodo(context, todo_id);
  },
  change(context, row, current) {
    const { before = {}, after = {} } = row;
    const isMoved = "remind_at" in before || "wall_time" in before;
    const made: Image = { ...fieldsOf("reminders", current), ...after };
    if (isMoved && !isAsMade(made, current)) return [conflictAt(row, "changed_since", ["remind_at"])];
    // The status of any other reminder follows from its todo and the clock.
    if (!isMoved && current.status !== made.status)
      return before.status === "failed" ? [conflictAt(row, "changed_since", ["status"])] : [];
    const old: ReminderRow = { ...current, ...before };
    // A delivery belongs to the present time of the reminder, so another time has none.
    const back = {
      ...old,
      ...asOfNow(context, current.todo_id, isMoved ? { ...old, delivery_id: null } : old),
    };
    const hasRung = ["sent", "unsent"].includes(current.status) && made.status !== current.status;
    const isOver = hasRung && Date.parse(timestamp(back.remind_at)) < context.acceptedAt;
    // A reminder that rang keeps its status, and gets its old time back: an older undo looks for that time.
    const { status, delivery_id } = isOver ? current : back;
    context.reminders.update(current, { ...back, status, delivery_id, updated_at: context.now });
    if (isMoved) touchTodo(context, current.todo_id);
    return [];
  },
});

/** True if a reminder has rung, or will not ring any more. */
const isOver = ({ status }: Pick<ReminderRow, "status">): boolean =>
  status !== "scheduled" && status !== "suspended";

/**
 * The state of a restored reminder. It rings if its time is ahead in the user's present zone. With a completed todo
 * it waits. If its time has passed it was missed, or is ringing if it has a delivery.
 */
function asOfNow(
  { todos, today, acceptedAt }: HandlerContext,
  todoId: number,
  { remind_at, wall_time, status, delivery_id }: Omit<ReminderRow, "todo_id">,
): Partial<ReminderRow> {
  if (isOver({ status })) return {};
  const at =
    wall_time == null
      ? Date.parse(timestamp(remind_at))
      : resolveLocalTime(wall_time.replace(" ", "T"), today.timeZone);
  const time = { remind_at: new Date(at).toISOString() };
  const isWaiting = todos.get(todoId)?.is_completed === true;
  if (at < acceptedAt || delivery_id != null) return { ...time, status: isWaiting ? "suspended" : "missed" };
  return { ...time, status: isWaiting ? "suspended" : "scheduled", delivery_id: null };
}

/** Every change of a reminder also touches its todo. */
function touchTodo({ todos, now }: HandlerContext, id: number): void {
  const todo = todos.get(id);
  if (todo && todo.created_at !== now) todos.update(todo, { updated_at: now });
}

/**
 * True if two states of a reminder have the same time. It may have rung meanwhile, or followed its user to another
 * zone.
 */
function isAsMade(made: Image, row: ReminderRow): boolean {
  const { remind_at, wall_time } = fieldsOf("reminders", row);
  return wall_time === undefined
    ? made.wall_time == null && isSame(made.remind_at, remind_at)
    : isSame(made.wall_time, wall_time);
}

/** A table comes after those that it refers to. */
const undoOf: Readonly<Record<SeenTable, UndoRow>> = {
  categories: takeBackCategory,
  habits: takeBackHabit,
  todos: takeBackTodo,
  habit_completions: takeBackCompletion,
  habit_amounts: takeBackAmount,
  reminders: takeBackReminder,
};
const order = Object.keys(undoOf);

/**
 * Undoes an action's changes of rows that are still as the action left them. Removed rows come first and new rows
 * next, because fields of others refer to both. A new category goes last, when its members have left it.
 * @returns the conflicts
 */
export function takeBack(context: HandlerContext, rows: ChangedRows): Conflict[] {
  const inOrder = [...rows.values()].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
  const turnOf = ({ table, before, after }: ChangedRow) =>
    after === undefined
      ? "gone"
      : before !== undefined
        ? "changed"
        : table === "categories"
          ? "last"
          : "made";
  const { gone = [], made = [], changed = [], last = [] } = Object.groupBy(inOrder, turnOf);
  return [...gone, ...made.toReversed(), ...changed, ...last.toReversed()].flatMap((row) =>
    undoOf[row.table](context, row, rows),
  );
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
      return [forUpdate("categories", id), ...(after ? withoutLock("category_members", id) : [])];
  }
}

/** A day's sum decides whether it is completed. */
const dayTables = ["habit_completions", "habit_amounts"] as const;

const categoriesOf = ({ before, after }: ChangedRow): RowRequest[] =>
  [before?.category_id, before?.former_category_id, after?.category_id].flatMap((id) =>
    typeof id === "number" ? forKeyShare("categories", id) : [],
  );
