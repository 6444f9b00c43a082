import type { Static } from "typebox";
import type { createTodo, deleteTodo, pendingTodos, toggleTodo, updateTodo } from "./todo.ts";
import type { Todo } from "./todo-schema.ts";
import { lean, list, oneLine, type Presented, presenter } from "./tool-result.ts";

type Todo_ = Static<typeof Todo>;

const one = { todo: { type: "object" } };

export const pending = presenter<typeof pendingTodos>({
  facts: {
    todos: { type: "array", items: { type: "object" } },
    total: { type: "integer" },
    next_cursor: { type: "string" },
  },
  present: ({ todos, total, next_cursor }) => ({
    lines: [
      `${todos.length} of ${total} incomplete todos${todos.length === 0 ? "." : ":"}`,
      ...todos.map(line),
      ...(next_cursor === null ? [] : [`More with cursor ${next_cursor}`]),
    ],
    facts: lean({ todos: todos.map(facts), total, next_cursor }),
  }),
});

export const created = presenter<typeof createTodo>({
  facts: one,
  present: (todo) => presentOne("Created", todo),
});

export const updated = presenter<typeof updateTodo>({
  facts: one,
  present: (todo) => presentOne("Changed", todo),
});

export const toggled = presenter<typeof toggleTodo>({
  facts: one,
  present: (todo) => presentOne(todo.is_completed ? "Complete:" : "Incomplete:", todo),
});

export const deleted = presenter<typeof deleteTodo>({
  facts: { deleted_todo_id: { type: "integer" } },
  present: (_, { todo_id }) => ({
    lines: [`Deleted todo #${todo_id}.`],
    facts: { deleted_todo_id: todo_id },
  }),
});

const presentOne = (verb: string, todo: Todo_): Presented => ({
  lines: [`${verb} ${line(todo)}`],
  facts: { todo: facts(todo) },
});

function facts(todo: Todo_): Record<string, unknown> {
  const { id, title, description, due_date, time_of_day, estimated_minutes, context } = todo;
  const { is_completed, is_overdue, recurrence, next_todo_id } = todo;
  return lean({
    id,
    title,
    description,
    due_date,
    is_overdue,
    time_of_day,
    estimated_minutes,
    context,
    category: todo.category?.name ?? null,
    recurrence,
    is_completed,
    next_todo_id,
  });
}

function line({ id, title, due_date, is_overdue, ...todo }: Todo_): string {
  const { time_of_day, estimated_minutes, context, category, recurrence, next_todo_id } = todo;
  const details = list([
    due_date && `due ${due_date}`,
    is_overdue && "overdue",
    time_of_day,
    estimated_minutes !== null && `${estimated_minutes} min`,
    context && `@${context}`,
    category && `in ${category.name}`,
    recurrence && `repeats ${recurrence}`,
    next_todo_id !== null && `next is #${next_todo_id}`,
  ]);
  const description = todo.description === null ? "" : `. ${oneLine(todo.description)}`;
  return `#${id} ${title}${details === "" ? "" : ` — ${details}`}${description}`;
}
