import type { TodoRow } from "../../../shared/db/entities.ts";
import { presentTodo } from "../../../shared/db/present.ts";
import { firstOccurrence, parseRecurrence } from "../../../shared/domain/recurrence.ts";
import { notFound } from "../../../shared/errors.ts";
import { lockTodo, share } from "../../unit-of-work/load.ts";
import { unknownCategory } from "../check-category.ts";
import { noRoom } from "../check-quota.ts";
import type { Context, Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { completeTodo, reopenTodo } from "./toggle.ts";

const defaultRecurrenceFrom = "due";

export const create: Handler<"todo.create"> = {
  makes: "todos",
  needs: ({ category_id }) => share("categories", category_id),
  run(context, input) {
    const refused = unknownCategory(context, input.category_id) ?? noRoom(context, "todos");
    if (refused) return refused;
    const row = context.todos.insert({
      id: context.nextId("todos"),
      title: input.title,
      description: input.description ?? null,
      time_of_day: input.time_of_day ?? null,
      estimated_minutes: input.estimated_minutes ?? null,
      context: input.context ?? null,
      category_id: input.category_id ?? null,
      is_completed: false,
      completed_at: null,
      completed_on: null,
      ...recurring(context, input.recurrence ?? null, input.due_date ?? null),
      recurrence_from: input.recurrence_from ?? defaultRecurrenceFrom,
      next_todo_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    return present(context, row);
  },
};

export const update: Handler<"todo.update"> = {
  needs: ({ todo_id, category_id }) => [...lockTodo(todo_id), ...share("categories", category_id)],
  run(context, { todo_id, recurrence, due_date, recurrence_from, ...input }) {
    const refused = unknownCategory(context, input.category_id);
    if (refused) return refused;
    const row = context.todos.get(todo_id);
    if (!row) return notFound("Todo");
    const changed: Partial<TodoRow> = { ...patch(input), updated_at: context.now };
    if (recurrence !== undefined || due_date !== undefined) {
      const rule = recurrence === undefined ? (row.recurrence ?? null) : recurrence;
      const due = due_date === undefined ? (row.due_date ?? null) : due_date;
      Object.assign(changed, recurring(context, rule, due, row));
    }
    if (recurrence_from !== undefined) changed.recurrence_from = recurrence_from ?? defaultRecurrenceFrom;
    return present(context, context.todos.update(row, changed));
  },
};

export const remove: Handler<"todo.delete"> = {
  needs: ({ todo_id }) => lockTodo(todo_id),
  run({ todos, reminders }, { todo_id }) {
    if (!todos.get(todo_id)) return notFound("Todo");
    if (reminders.get(todo_id)) reminders.remove(todo_id);
    todos.remove(todo_id);
    return null;
  },
};

export const toggle: Handler<"todo.toggle"> = {
  needs: ({ todo_id }) => lockTodo(todo_id),
  run(context, { todo_id, is_completed }) {
    const row = context.todos.get(todo_id);
    if (!row) return notFound("Todo");
    const wanted = is_completed ?? !row.is_completed;
    if (wanted === row.is_completed) return present(context, row);
    if (!wanted) return present(context, reopenTodo(context, row));
    const full = row.recurrence == null ? undefined : noRoom(context, "todos");
    return full ?? present(context, completeTodo(context, row));
  },
};

/**
 * Rule, due date and the series' anchor: without a due date the first occurrence from today on is set. Moving
 * the due date moves one todo, not the series; another rule or a cleared due date begins a new one.
 */
function recurring({ today }: Context, text: string | null, dueDate: string | null, row?: TodoRow) {
  const parsed = text === null ? undefined : parseRecurrence(text);
  if (!parsed || "error" in parsed) return { recurrence: null, recurrence_anchor: null, due_date: dueDate };
  const due_date = dueDate ?? firstOccurrence(parsed.rule, today.date);
  const anchor = dueDate !== null && row?.recurrence === parsed.rule ? row.recurrence_anchor : null;
  return { recurrence: parsed.rule, recurrence_anchor: anchor ?? due_date, due_date };
}

function present({ categories, reminders, today }: Context, row: TodoRow) {
  const category = row.category_id == null ? undefined : categories.get(row.category_id);
  return presentTodo(row, category, reminders.get(row.id), today);
}
