import type { TodoRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import { successor } from "../../../shared/domain/todo/recurrence.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

export const todoToggle: Handler<"todo.toggle"> = {
  stores: "more",
  rows: lockTodo,
  related: relatedToTodo,
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
  suspendReminder(context, row.id);
  return todos.update(row, {
    is_completed: true,
    completed_at: now,
    completed_on: today.date,
    next_todo_id: createSuccessor(context, row) ?? null,
    updated_at: now,
  });
}

/** Reopening removes a successor that nobody edited, and revives a reminder whose time is still ahead. */
function reopenTodo(context: HandlerContext, row: TodoRow): TodoRow {
  const { todos, now } = context;
  reviveReminder(context, row.id);
  const next = row.next_todo_id == null ? undefined : todos.get(row.next_todo_id);
  const edited = next && isEdited(next);
  if (next && !edited) todos.remove(next.id);
  return todos.update(row, {
    is_completed: false,
    completed_at: null,
    completed_on: null,
    next_todo_id: edited ? next.id : null,
    updated_at: now,
  });
}

const isEdited = (row: TodoRow): boolean => row.updated_at !== row.created_at;

function createSuccessor({ todos, nextId, now, today }: HandlerContext, row: TodoRow): number | undefined {
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
  const { id } = todos.insert({
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
  return id;
}

function suspendReminder({ reminders, now }: HandlerContext, todoId: number): void {
  const reminder = reminders.get(todoId);
  if (reminder?.status === "scheduled") reminders.update(reminder, { status: "suspended", updated_at: now });
}

function reviveReminder({ reminders, now, acceptedAt }: HandlerContext, todoId: number): void {
  const reminder = reminders.get(todoId);
  if (reminder?.status !== "suspended") return;
  // A command that was accepted in time may be carried out after it: with a delivery the reminder rings already.
  const inTime = Date.parse(timestamp(reminder.remind_at)) >= acceptedAt && reminder.delivery_id == null;
  const revived = inTime
    ? ({ status: "scheduled", delivery_id: null } as const)
    : ({ status: "missed" } as const);
  reminders.update(reminder, { ...revived, updated_at: now });
}
