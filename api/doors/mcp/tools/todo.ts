import { type Static, Type } from "typebox";
import {
  fieldsWith,
  optionalValues,
  otherFields,
} from "../../../../shared/contracts/kernel/declared-fields.ts";
import { Nullable, Reach } from "../../../../shared/contracts/kernel/fields.ts";
import {
  ListedTodo,
  RecurrenceFrom,
  RemindAt,
  Reminder,
  type Todo,
  todoFields,
} from "../../../../shared/contracts/todo/fields.ts";
import {
  categoryNames,
  factsBy,
  joined,
  LeanObject,
  quoteStored,
  type ToolResult,
  wordsOfOthers,
} from "../tool.ts";

/** The arguments that describe a todo, without its title: a new one needs that. */
const { title: _, ...fields } = optionalValues(fieldsWith(todoFields, "create"));
export const todoArguments = { ...fields, ...categoryNames, remind_at: Type.Optional(RemindAt) };

const { category, reminder, completed_at, created_at, updated_at, ...shown } = ListedTodo.properties;

/** A todo as the facts of tools have it. */
const TodoFacts = LeanObject({
  ...shown,
  /** Absent where the due date counts, as it usually does. */
  recurrence_from: Nullable(RecurrenceFrom),
  category: Nullable(Type.String()),
  remind_at: Nullable(Type.String({ description: "Local time such as 2026-11-22T09:00" })),
  reminder_status: Nullable(Reminder.properties.status),
  reaches: Nullable(Reach),
});

export const OneTodoFacts = Type.Object({ todo: TodoFacts });
export const ManyTodoFacts = Type.Array(TodoFacts);

type TodoOutput = Static<typeof Todo> & Partial<Static<typeof ListedTodo>>;

export function oneTodo(verb: string, todo: TodoOutput): ToolResult {
  const { reminder } = todo;
  const reachesNobody = reminder?.status === "scheduled" && reminder.reaches === "nobody";
  return {
    lines: [`${verb} ${todoLine(todo)}`],
    facts: { todo: { ...factsOfTodo(todo), ...(reachesNobody && { reaches: "nobody" }) } },
    reachesNobody,
  };
}

export const factsOfTodo = (todo: TodoOutput): Record<string, unknown> =>
  factsBy(TodoFacts, todo, {
    category: todo.category?.name ?? null,
    recurrence_from: countsAfresh(todo) ? todo.recurrence_from : null,
    ...reminderFacts(todo),
  });

const countsAfresh = ({ recurrence, recurrence_from }: TodoOutput): boolean =>
  recurrence !== null && recurrence_from === "completion";

/** The reminder's wall time in the form of the argument remind_at, and its status unless it will ring. */
function reminderFacts({ reminder }: TodoOutput): Readonly<{ remind_at?: string; reminder_status?: string }> {
  if (reminder === null) return {};
  const { local_time, status } = reminder;
  const remind_at = local_time.replace(/:00$/, "");
  return status === "scheduled" ? { remind_at } : { remind_at, reminder_status: status };
}

const others = otherFields(todoFields, [
  ...["title", "description", "due_date", "due_time", "time_of_day", "estimated_minutes"],
  ...["category_id", "recurrence", "recurrence_from"],
]);

/** Says a field without own words, such as `context "desk"`. */
function sayField({ label, value }: ReturnType<typeof others>[number]): string {
  const words = label.toLowerCase();
  if (value === true) return words;
  return `${words} ${typeof value === "string" ? quoteStored(value) : JSON.stringify(value)}`;
}

/** Object rest would copy most of the todo, so the fields are listed. */
export function todoLine(todo: TodoOutput): string {
  const { id, title, due_date, due_time, is_overdue, time_of_day, estimated_minutes } = todo;
  const { category, recurrence, next_todo_id } = todo;
  const details = joined([
    todo.completed_on != null && `done ${todo.completed_on}`,
    due_date && `due ${due_date}${due_time === null ? "" : ` ${due_time}`}`,
    is_overdue && "overdue",
    time_of_day,
    estimated_minutes !== null && `${estimated_minutes} min`,
    ...others(todo).map(sayField),
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
