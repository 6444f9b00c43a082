import type { TodoRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/db/present.ts";
import { successor } from "../../../shared/domain/recurrence.ts";
import type { Context } from "../handler.ts";

/** Completes a todo: its reminder rests, and a recurring one gets exactly one successor. */
export function completeTodo(context: Context, row: TodoRow): TodoRow {
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

/** Opens a todo again: an untouched successor goes, a touched one stays, a reminder still ahead is revived. */
export function reopenTodo(context: Context, row: TodoRow): TodoRow {
  const { todos, now } = context;
  reviveReminder(context, row.id);
  const next = row.next_todo_id == null ? undefined : todos.get(row.next_todo_id);
  if (next && isUntouched(next)) todos.remove(next.id);
  return todos.update(row, {
    is_completed: false,
    completed_at: null,
    completed_on: null,
    next_todo_id: next && !isUntouched(next) ? next.id : null,
    updated_at: now,
  });
}

const isUntouched = (row: TodoRow): boolean => row.updated_at === row.created_at;

function createSuccessor({ todos, nextId, now, today }: Context, row: TodoRow): number | undefined {
  if (row.recurrence == null) return undefined;
  // Opened again with its successor touched: that one is still the next.
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

function suspendReminder({ reminders, now }: Context, todoId: number): void {
  const reminder = reminders.get(todoId);
  if (reminder?.status === "scheduled") reminders.update(reminder, { status: "suspended", updated_at: now });
}

function reviveReminder({ reminders, now, acceptedAt }: Context, todoId: number): void {
  const reminder = reminders.get(todoId);
  if (reminder?.status !== "suspended") return;
  const inTime = Date.parse(timestamp(reminder.remind_at)) >= acceptedAt;
  const revived = inTime
    ? ({ status: "scheduled", delivery_id: null } as const)
    : ({ status: "missed" } as const);
  reminders.update(reminder, { ...revived, updated_at: now });
}
