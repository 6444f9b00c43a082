import type { Static } from "typebox";
import { descriptionLine, joined, lean, quoteStored, type ToolResult } from "../kernel/tool-result.ts";
import type { PendingTodos, Todo } from "./schema.ts";

type TodoOutput = Static<typeof Todo>;

export function oneTodo(verb: string, todo: TodoOutput): ToolResult {
  const { reminder } = todo;
  const reachesNobody = reminder?.status === "scheduled" && reminder.reaches === "nobody";
  return {
    lines: [`${verb} ${todoLine(todo)}`],
    facts: { todo: { ...factsOf(todo), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export const pendingPage = ({ todos, total, next_cursor }: Static<typeof PendingTodos>): ToolResult => ({
  lines: [
    `${todos.length} of ${total} incomplete todos${todos.length === 0 ? "." : ":"}`,
    ...todos.map(todoLine),
    ...(next_cursor === null ? [] : [`More with cursor ${next_cursor}`]),
  ],
  facts: lean({ todos: todos.map(factsOf), total, next_cursor }),
});

function factsOf(todo: TodoOutput): Record<string, unknown> {
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
    ...reminderFacts(todo),
    is_completed,
    next_todo_id,
  });
}

/** The reminder's wall time as the argument remind_at takes it, and its status unless it will ring. */
function reminderFacts({ reminder }: TodoOutput): Record<string, unknown> {
  if (reminder === null) return {};
  const { local_time, status } = reminder;
  const remind_at = local_time.replace(/:00$/, "");
  return status === "scheduled" ? { remind_at } : { remind_at, reminder_status: status };
}

/** Without a rest of the properties, which would copy most of the todo. */
export function todoLine(todo: TodoOutput): string {
  const { id, title, due_date, is_overdue, time_of_day, estimated_minutes, context } = todo;
  const { category, recurrence, next_todo_id } = todo;
  const details = joined([
    due_date && `due ${due_date}`,
    is_overdue && "overdue",
    time_of_day,
    estimated_minutes !== null && `${estimated_minutes} min`,
    context && `context ${quoteStored(context)}`,
    category && `in ${quoteStored(category.name)}`,
    recurrence && `repeats ${recurrence}`,
    reminderOf(todo),
    next_todo_id !== null && `next is #${next_todo_id}`,
  ]);
  const stated = details === "" ? "" : `: ${details}`;
  return `#${id} ${quoteStored(title)}${stated}${descriptionLine(todo.description)}`;
}

function reminderOf(todo: TodoOutput): string | null {
  const { remind_at, reminder_status } = reminderFacts(todo);
  if (remind_at === undefined) return null;
  return `${reminder_status === undefined ? "reminds" : `reminder ${reminder_status}`} ${remind_at}`;
}
