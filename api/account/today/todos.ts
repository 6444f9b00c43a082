import type { Static } from "typebox";
import type { Todo } from "../../../shared/contracts/todo-schema.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Visit } from "../visit/context.ts";
import { sayDate } from "../visit/dates.ts";
import { categoryTag } from "./category-tag.ts";
import { facts } from "./facts.ts";
import { tickButton } from "./tick-button.ts";

type TodoItem = Static<typeof Todo>;

/** The first of `total` pending todos, in the given order, which has the overdue ones first. */
export function todoList(
  visit: Visit,
  todos: readonly TodoItem[],
  { today, total }: { today: string; total: number },
): Html {
  if (todos.length === 0) return html`<p class="quiet">Nothing is pending.</p>`;
  return html`<ul class="plain">${todos.map((todo, place) => todoItem(visit, todo, { today, next: todos[place + 1] ?? todos[place - 1] }))}</ul>
    ${total > todos.length && html`<p class="quiet">And ${total - todos.length} more.</p>`}`;
}

type Place = Readonly<{ today: string; next: TodoItem | undefined }>;

function todoItem(visit: Visit, todo: TodoItem, { today, next }: Place): Html {
  const { id, title, category, is_overdue: isOverdue } = todo;
  const minutes = todo.estimated_minutes && sayMinutes(todo.estimated_minutes);
  const due = todo.due_date && sayDate(todo.due_date, today);
  return html`<li class="card item" id="todo-${id}">
    ${tickButton(visit, {
      ...{ kind: "todo", id, day: today, done: false, label: `Done: ${title}` },
      next: next && `todo-${next.id}`,
    })}
    <div class="what"><h3>${title}</h3>
    ${facts([todo.time_of_day, minutes, todo.context, categoryTag(category)])}</div>
    ${due && html`<p class="due${isOverdue && " late"}">${isOverdue && "Overdue · "}${due}</p>`}</li>`;
}

function sayMinutes(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
