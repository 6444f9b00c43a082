import { type Static, Type } from "typebox";
import { Id, Nullable, Reach } from "../kernel/fields.ts";
import {
  deletionFacts,
  factsBy,
  joined,
  LeanObject,
  lean,
  quoteStored,
  type ToolResult,
  type Unleaned,
  wordsOfOthers,
} from "../kernel/tool.ts";
import { ListedTodo, PendingTodos, RecurrenceFrom, Reminder, type Todo } from "./fields.ts";
import { ListedStatus, listedStatus, type PendingInput } from "./filters.ts";

const shown = ListedTodo.properties;

/** A todo as the facts of tools have it. */
const TodoFacts = LeanObject({
  id: shown.id,
  title: shown.title,
  description: shown.description,
  written_by: shown.written_by,
  due_date: shown.due_date,
  due_time: shown.due_time,
  is_overdue: shown.is_overdue,
  is_important: shown.is_important,
  time_of_day: shown.time_of_day,
  estimated_minutes: shown.estimated_minutes,
  context: shown.context,
  category: Nullable(Type.String()),
  recurrence: shown.recurrence,
  /** Absent where the due date counts, as it usually does. */
  recurrence_from: Nullable(RecurrenceFrom),
  remind_at: Nullable(Type.String({ description: "Local time such as 2026-11-22T09:00" })),
  reminder_status: Nullable(Reminder.properties.status),
  is_completed: shown.is_completed,
  completed_on: shown.completed_on,
  next_todo_id: shown.next_todo_id,
  reaches: Nullable(Reach),
});

export const OneTodoFacts = Type.Object({ todo: TodoFacts });

export const PendingFacts = LeanObject({
  status: ListedStatus,
  todos: Type.Array(TodoFacts),
  total: Type.Integer(),
  next_cursor: Nullable(Type.String()),
  by_category: PendingTodos.properties.by_category,
});

export const DeletedTodoFacts = Type.Object({
  deleted_todo_id: Id,
  title: Type.Optional(Type.String()),
  todo: Type.Optional(TodoFacts),
  ...deletionFacts,
});

/** A todo alone, or in a list. */
type TodoOutput = Static<typeof Todo> & Partial<Static<typeof ListedTodo>>;
type ShownFacts = Unleaned<typeof TodoFacts>;

export function oneTodo(verb: string, todo: TodoOutput): ToolResult {
  const { reminder } = todo;
  const reachesNobody = reminder?.status === "scheduled" && reminder.reaches === "nobody";
  return {
    lines: [`${verb} ${todoLine(todo)}`],
    facts: { todo: { ...factsOf(todo), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export function pendingPage(
  { todos, total, next_cursor, by_category }: Static<typeof PendingTodos>,
  asked: PendingInput,
): ToolResult {
  const status = listedStatus(asked);
  if (by_category)
    return {
      lines: [
        `Todos by category, status ${status}:`,
        ...by_category.map(
          ({ category, count }) => `${count} in ${category === null ? "none" : quoteStored(category)}`,
        ),
      ],
      facts: { status, by_category, total },
    };
  const { kind, none } = kinds[status];
  return {
    lines: [
      todos.length === 0 ? none : `${todos.length} of ${total} ${kind}:`,
      ...todos.map(todoLine),
      ...(next_cursor === null ? [] : [`More with cursor ${next_cursor}`]),
    ],
    facts: lean({ status, todos: todos.map(factsOf), total, next_cursor }),
  };
}

/** An empty list names the todos that it searched, because it says nothing about others. */
const kinds = {
  pending: {
    kind: "pending todos",
    none: "No pending todos match. Completed ones were not looked at: status all has both.",
  },
  completed: {
    kind: "completed todos, newest first",
    none: "No completed todos match. Pending ones were not looked at: status all has both.",
  },
  all: { kind: "todos, pending and completed", none: "No todos match, neither pending nor completed." },
};

type Deleted = Readonly<{ id: number; title: string; was: TodoOutput }>;

/** Tells everything about the deleted todo, so that an agent can make one like it. */
export const deletedTodo = ({ id, title, was }: Deleted): ToolResult => ({
  lines: [`Deleted todo ${todoLine(was)}`],
  facts: { deleted_todo_id: id, title, todo: factsOf(was) },
  canReturn: true,
});

const factsOf = (todo: TodoOutput): Record<string, unknown> =>
  factsBy(TodoFacts, todo, {
    category: todo.category?.name ?? null,
    recurrence_from: countsAfresh(todo) ? todo.recurrence_from : null,
    ...reminderFacts(todo),
  });

const countsAfresh = ({ recurrence, recurrence_from }: TodoOutput): boolean =>
  recurrence !== null && recurrence_from === "completion";

/** The reminder's wall time in the form of the argument remind_at, and its status unless it will ring. */
function reminderFacts({ reminder }: TodoOutput): Pick<ShownFacts, "remind_at" | "reminder_status"> {
  if (reminder === null) return {};
  const { local_time, status } = reminder;
  const remind_at = local_time.replace(/:00$/, "");
  return status === "scheduled" ? { remind_at } : { remind_at, reminder_status: status };
}

/** Object rest would copy most of the todo, so the fields are listed. */
export function todoLine(todo: TodoOutput): string {
  const { id, title, due_date, due_time, is_overdue, time_of_day, estimated_minutes, context } = todo;
  const { category, recurrence, is_important, next_todo_id } = todo;
  const details = joined([
    todo.completed_on != null && `done ${todo.completed_on}`,
    due_date && `due ${due_date}${due_time === null ? "" : ` ${due_time}`}`,
    is_overdue && "overdue",
    is_important && "important",
    time_of_day,
    estimated_minutes !== null && `${estimated_minutes} min`,
    context && `context ${quoteStored(context)}`,
    category && `in ${quoteStored(category.name)}`,
    recurrence && `repeats ${recurrence}${countsAfresh(todo) ? " from completion" : ""}`,
    reminderOf(todo),
    next_todo_id !== null && `next is #${next_todo_id}`,
  ]);
  const stated = details === "" ? "" : `: ${details}`;
  return `#${id} ${quoteStored(title)}${stated}${wordsOfOthers(todo)}`;
}

function reminderOf(todo: TodoOutput): string | null {
  const { remind_at, reminder_status } = reminderFacts(todo);
  if (remind_at === undefined) return null;
  return `${reminder_status === undefined ? "reminds" : `reminder ${reminder_status}`} ${remind_at}`;
}
