import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { longestDescription } from "../../../shared/contracts/kernel/fields.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import type { TodoRow } from "../../../shared/db/entities.ts";
import { presentTodo } from "../../../shared/db/present.ts";
import { conflicts } from "../../../shared/domain/conflicts.ts";
import { firstOccurrence, parseRule, successor } from "../../../shared/domain/todo/recurrence.ts";
import { invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { forKeyShare, forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category.ts";
import { givenColumns, newColumns } from "../columns.ts";
import type { Handler, HandlerContext, OwnTables, Related } from "../handler.ts";
import {
  giveReminder,
  moveReminder,
  putReminder,
  reminderTime,
  rowsForTime,
  rowsToMoveReminder,
  withItsReminder,
} from "./reminder.ts";

type OneTodo = Readonly<{ todo_id: number }>;

/** A todo with its reminder, which has the todo's id. */
export const lockTodo = ({ todo_id }: OneTodo): RowRequest[] => [
  forUpdate("todos", todo_id),
  forUpdate("reminders", todo_id),
];

/**
 * The category is part of the answer, and reopening a todo needs its successor. Completing a recurring todo makes a
 * successor in the same category, which must not be deleted meanwhile.
 */
export function relatedToTodo({ todos }: OwnTables, { todo_id }: OneTodo): Related {
  const row = todos.get(todo_id);
  if (!row) return { rows: [] };
  const recurs = row.recurrence != null;
  const category = (recurs ? forKeyShare : withoutLock)("categories", row.category_id);
  const successor = row.next_todo_id == null ? [] : lockTodo({ todo_id: row.next_todo_id });
  return { rows: [...category, ...successor], makes: recurs ? ["todos"] : [] };
}

function currentTodo(context: HandlerContext, { todo_id }: OneTodo) {
  const row = context.todos.get(todo_id);
  return row && todoAnswer(context, row);
}

/** @returns a changed todo as it is answered, with its category and reminder */
export function todoAnswer({ categories, reminders, viewer }: HandlerContext, row: TodoRow) {
  const category = row.category_id == null ? undefined : categories.get(row.category_id);
  return presentTodo(row, category, reminders.get(row.id), viewer);
}

const needsDate = {
  reason: "The due_time field needs a due date",
  next: "send due_date as well.",
};

/**
 * Keeps a due time only with a due date.
 * @param dueDate of the todo after the change
 * @returns the column if it changes
 */
function dueTimeColumn(
  dueDate: string | null,
  given: string | null | undefined,
): { due_time?: null } | Refused {
  if (dueDate !== null) return {};
  return given == null ? { due_time: null } : invalid({ due_time: [needsDate] });
}

/**
 * A recurring todo without a due date gets the first occurrence from today on. Another due date moves this todo and
 * not its series. Another rule, or a cleared due date, begins a new series.
 * @returns the rule, the due date and the anchor of the series
 */
function recurrenceColumns(
  { today }: HandlerContext,
  text: string | null,
  dueDate: string | null,
  row?: TodoRow,
) {
  // The front door has already checked that the rule matches some date, which is costly.
  const parsed = text === null ? undefined : parseRule(text);
  if (!parsed || "error" in parsed) return { recurrence: null, recurrence_anchor: null, due_date: dueDate };
  const due_date = dueDate ?? firstOccurrence(parsed.rule, today.date);
  const anchor = dueDate !== null && row?.recurrence === parsed.rule ? row.recurrence_anchor : null;
  return { recurrence: parsed.rule, recurrence_anchor: anchor ?? due_date, due_date };
}

export const todoCreate: Handler<"todo.create"> = {
  stores: "more",
  makes: "todos",
  rows: (input) => [...categoryRows(input), ...(input.remind_at == null ? [] : rowsForTime(input.remind_at))],
  related: relatedToChoice,
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const reminder = input.remind_at == null ? null : reminderTime(context, input.remind_at);
    if (isRefused(reminder)) return reminder;
    const { recurrence, due_date = null } = input;
    const series = recurrence == null ? { due_date } : recurrenceColumns(context, recurrence, due_date);
    const timed = input.due_time == null ? {} : dueTimeColumn(series.due_date, input.due_time);
    if (isRefused(timed)) return timed;
    const refused = context.useQuota("todos");
    if (refused) return refused;
    const row = context.todos.insert({
      id: context.nextId("todos"),
      ...newColumns(todoFields, { ...input, ...category() }),
      ...series,
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    if (reminder) putReminder(context, row, reminder);
    return todoAnswer(context, row);
  },
};

export const todoUpdate: Handler<"todo.update"> = {
  stores: "more",
  rows: (input) => [...lockTodo(input), ...categoryRows(input), ...rowsForTime(input.remind_at)],
  related(loaded, input) {
    const [todo, choice] = [relatedToTodo(loaded, input), relatedToChoice(loaded, input)];
    const zone = isMoved(input) ? rowsToMoveReminder(loaded, input) : [];
    const makes = [...(todo.makes ?? []), ...(choice.makes ?? [])];
    return { rows: [...todo.rows, ...choice.rows, ...zone], makes };
  },
  current: currentTodo,
  run(context, input) {
    const { todos, reminders } = context;
    const { todo_id, remind_at } = input;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const time = remind_at == null ? null : reminderTime(context, remind_at);
    if (isRefused(time)) return time;
    const row = todos.get(todo_id);
    if (!row) return notFound("Todo");
    if (time && row.is_completed) return conflicts.todoCompleted;
    const { recurrence = row.recurrence, due_date = row.due_date } = input;
    const series = isRescheduled(input)
      ? recurrenceColumns(context, recurrence, due_date, row)
      : { due_date };
    const timed = dueTimeColumn(series.due_date, input.due_time);
    if (isRefused(timed)) return timed;
    const noted = withNote(row, input);
    if (isRefused(noted)) return noted;
    const updated = todos.update(row, {
      ...givenColumns(todoFields, { ...input, ...noted, ...category() }),
      ...series,
      ...timed,
      updated_at: context.now,
    });
    if (time) putReminder(context, updated, time);
    else if (remind_at === null && reminders.get(todo_id)) reminders.remove(todo_id);
    else if (isMoved(input)) moveReminder(context, row, updated);
    return todoAnswer(context, updated);
  },
};

function withNote(
  { description: before }: TodoRow,
  { add_note, description = before }: InputOf<Commands["todo.update"]>,
): { description?: string } | Refused {
  if (add_note === undefined) return {};
  const whole = description === null ? add_note : `${description}\n${add_note}`;
  return whole.length > longestDescription ? noRoomForNote : { description: whole };
}

const noRoomForNote = invalid({
  add_note: [{ reason: "The description has no room for this note", next: "shorten the description first." }],
});

const isRescheduled = ({ recurrence, due_date }: InputOf<Commands["todo.update"]>): boolean =>
  recurrence !== undefined || due_date !== undefined;

const isMoved = (input: InputOf<Commands["todo.update"]>): boolean =>
  isRescheduled(input) || input.due_time !== undefined;

export const todoDelete: Handler<"todo.delete"> = {
  rows: lockTodo,
  related: relatedToTodo,
  current: currentTodo,
  run(context, { todo_id }) {
    const { todos, reminders } = context;
    const row = todos.get(todo_id);
    if (!row) return notFound("Todo");
    const was = todoAnswer(context, row);
    if (reminders.get(todo_id)) reminders.remove(todo_id);
    todos.remove(todo_id);
    return { id: todo_id, title: row.title, was };
  },
};

export const todoToggle: Handler<"todo.toggle"> = {
  stores: "more",
  rows: lockTodo,
  related(loaded, input) {
    const { rows, makes } = relatedToTodo(loaded, input);
    const recurs = loaded.todos.get(input.todo_id)?.recurrence != null;
    return { rows: [...rows, ...(recurs ? rowsToMoveReminder(loaded, input) : [])], makes };
  },
  current: currentTodo,
  mayMake: "todos",
  run(context, { todo_id, is_completed }) {
    const row = context.todos.get(todo_id);
    if (!row) return notFound("Todo");
    const wanted = is_completed ?? !row.is_completed;
    if (wanted === row.is_completed) return todoAnswer(context, row);
    if (!wanted) return todoAnswer(context, reopenTodo(context, row));
    const refused = row.recurrence == null ? undefined : context.useQuota("todos");
    return refused ?? todoAnswer(context, completeTodo(context, row));
  },
};

/** Completing suspends the reminder, and gives a recurring todo exactly one successor. */
function completeTodo(context: HandlerContext, row: TodoRow): TodoRow {
  const { todos, now, today } = context;
  const completed = {
    is_completed: true,
    completed_at: now,
    completed_on: today.date,
    next_todo_id: createSuccessor(context, row) ?? null,
    updated_at: now,
  };
  return withItsReminder(context, todos.update(row, completed));
}

/** Reopening removes a successor that nobody edited, and revives a reminder whose time is still ahead. */
function reopenTodo(context: HandlerContext, row: TodoRow): TodoRow {
  const { todos, reminders, now } = context;
  const next = row.next_todo_id == null ? undefined : todos.get(row.next_todo_id);
  const edited = next && isEdited(next);
  if (next && !edited) {
    if (reminders.get(next.id)) reminders.remove(next.id);
    todos.remove(next.id);
  }
  const open = {
    is_completed: false,
    completed_at: null,
    completed_on: null,
    next_todo_id: edited ? next.id : null,
    updated_at: now,
  };
  return withItsReminder(context, todos.update(row, open));
}

const isEdited = (row: TodoRow): boolean => row.updated_at !== row.created_at;

/** @returns the id of the successor, which has the completed todo's reminder on its own due date */
function createSuccessor(context: HandlerContext, row: TodoRow): number | undefined {
  const { todos, nextId, now, today } = context;
  if (row.recurrence == null) return undefined;
  // Reopened after its successor was edited: that successor stays.
  if (row.next_todo_id != null && todos.get(row.next_todo_id)) return row.next_todo_id;
  const next = successor({
    rule: row.recurrence,
    recurrence_from: row.recurrence_from,
    due_date: row.due_date ?? today.date,
    anchor: row.recurrence_anchor ?? row.due_date ?? today.date,
    today: today.date,
  });
  if (!next) return undefined;
  const made = todos.insert({
    ...row,
    former_category_id: null,
    id: nextId("todos"),
    due_date: next.due_date,
    recurrence: next.rule,
    recurrence_anchor: next.anchor,
    is_completed: false,
    completed_at: null,
    completed_on: null,
    next_todo_id: null,
    created_at: now,
    updated_at: now,
  });
  giveReminder(context, row, made);
  return made.id;
}
