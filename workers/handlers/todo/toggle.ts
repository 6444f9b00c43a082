import type { TodoRow } from "../../../shared/db/entities.ts";
import { successor } from "../../../shared/domain/todo/recurrence.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { giveReminder, rowsToMoveReminder, withItsReminder } from "./reminder.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./todo.ts";

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
