import { LRUCache } from "lru-cache";
import type { Static } from "typebox";
import type { Todo } from "../../../../shared/contracts/todo/fields.ts";
import type { Today } from "../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import type { DueGroup } from "../../../queries/todo/groups.ts";
import type { Visit } from "../session/context.ts";
import { sayDay, sayDue, sayTime, sayWallTime } from "./dates.ts";
import { categoryTag, facts } from "./facts.ts";
import { tickButton } from "./tick-button.ts";

/** The form of the boxes that choose todos. */
export const chosenFormId = "chosen";

export type TodoItem = Static<typeof Todo>;

/** A list of todos, pending or done. */
export const todoList = (visit: Visit, todos: readonly TodoItem[], today: Today): Html =>
  html`<ul class="plain">${todos.map((todo, index) =>
    todoItem(visit, todo, { today, next: todos[index + 1] ?? todos[index - 1] }),
  )}</ul>`;

/** The present day, and the todo that follows in the list. */
type ItemContext = Readonly<{ today: Today; next: TodoItem | undefined }>;

function todoItem(visit: Visit, todo: TodoItem, { today, next }: ItemContext): Html {
  const { id, title, is_completed: done, is_important } = todo;
  return html`<li class="card item${done && " done"}" id="todo-${id}">
    ${tickButton(visit, {
      ...{ kind: "todo", id, done, day: today.date, labels: [`Done: ${title}`, `Open again: ${title}`] },
      next: next && `todo-${next.id}`,
    })}
    <div class="what"><p class="name">${is_important && important}<a href="/account/todos/${id}">${title}</a></p>
    ${facts(known(todo, today.date))}</div>${due(todo, today)}
    <input type="checkbox" class="pick" name="todo_id" value="${id}" form="${chosenFormId}" autocomplete="off" aria-label="Choose: ${title}"></li>`;
}

const important = html`<span class="important" role="img" aria-label="Important">!</span> `;

/** The line below the title, of which a narrow screen shows the beginning. */
function known(todo: TodoItem, today: string) {
  const { category, description, recurrence, estimated_minutes: minutes } = todo;
  return [
    todo.due_time === null ? todo.time_of_day : null,
    minutes && sayMinutes(minutes),
    todo.context,
    categoryTag(category),
    recurrence && saidRules.memo(recurrence),
    reminderInWords(todo, today),
    description && cut(description),
  ];
}

/** The date is left out of what is due today, because its heading says it. */
function due(todo: TodoItem, today: Today): Html | null {
  if (todo.completed_at !== null)
    return html`<p class="due">Done ${sayDay(todo.completed_at, today.timeZone, today.date)}</p>`;
  const { is_overdue: isOverdue, due_date } = todo;
  const when = due_date === today.date ? todo.due_time && sayTime(todo.due_time) : sayDue(todo, today.date);
  return when === null
    ? null
    : html`<p class="due${isOverdue && " late"}">${isOverdue && "Overdue · "}${when}</p>`;
}

const reminderWords = {
  scheduled: "reminder",
  sent: "reminded",
  unsent: "reminder reached nobody",
  missed: "reminder missed",
  failed: "reminder failed",
} as const;

/** A suspended reminder is not shown: it waits for its todo to be reopened. */
function reminderInWords({ reminder }: TodoItem, today: string): string | null {
  if (reminder === null || reminder.status === "suspended") return null;
  return `${reminderWords[reminder.status]} ${sayWallTime(reminder.local_time, today)}`;
}

/**
 * Rules in words are cached: making one takes a quarter of a millisecond, and a page may have a hundred todos that
 * repeat.
 */
const saidRules = new LRUCache<string, string>({ max: 1_000, memoMethod: sayRepeat });

const mostShown = 160;

/** The beginning of a text, without cutting a word or a surrogate pair in half. */
function cut(text: string): string {
  if (text.length <= mostShown) return text;
  return `${text
    .slice(0, mostShown)
    .replace(/\s+\S*$/u, "")
    .toWellFormed()} …`;
}

function sayMinutes(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

export const groupNames: Readonly<Record<DueGroup, string>> = {
  overdue: "Overdue",
  today: "Today",
  tomorrow: "Tomorrow",
  week: "This week",
  later: "Later",
  undated: "No date",
};
