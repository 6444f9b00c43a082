import { type Html, html } from "../../../../shared/html.ts";
import type { DaySummary } from "../../../queries/dashboard/day.ts";
import { type DueGroup, dueGroupOf } from "../../../queries/todo/due-groups.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { groupNames, todoList } from "../kit/todo-item.ts";
import type { Visit } from "../session/context.ts";
import { moveOverdue } from "../todo/many.ts";
import { inOrderOfDay } from "./order.ts";

/** One folded line with the groups of due dates in it. */
type Section = Readonly<{ name: string; groups: readonly DueGroup[] }>;

const later: readonly Section[] = [
  { name: groupNames.tomorrow, groups: ["tomorrow"] },
  { name: groupNames.later, groups: ["week", "later"] },
  { name: groupNames.undated, groups: ["undated"] },
];

type TodosOfDay = Pick<DaySummary, "todos" | "counts" | "today">;

/** The todos of the day in one order; what was left over and what can wait is folded, unless there is nothing else. */
export function todosOfDay(visit: Visit, day: TodosOfDay): Html {
  const { todos, counts, today } = day;
  if (todos.length === 0) return html`<p class="quiet">Nothing is pending.</p>`;
  const own = todos.filter(({ due_date }) => due_date === today.date);
  const left = todos.filter(({ due_date }) => due_date !== null && due_date < today.date);
  const overdue = counts.overdue - own.filter(({ is_overdue }) => is_overdue).length;
  const isFree = own.length + left.length === 0;
  const ahead = counts.today + counts.overdue - overdue;
  return html`${
    left.length > 0 &&
    html`<div class="overdue">${folded(visit, day, { name: groupNames.overdue, groups: ["overdue"] }, { todos: left, count: overdue, isOpen: own.length === 0 })}
    ${moveOverdue(visit, left, overdue)}</div>`
  }
    ${isFree && html`<p class="quiet">Nothing is due today.</p>`}
    ${todoList(visit, inOrderOfDay(own, today.date), today)}
    ${ahead > own.length && moreOf("today", ahead)}
    ${later.map((section) => {
      const count = section.groups.reduce((sum, group) => sum + counts[group], 0);
      const shown = todos.filter((todo) =>
        section.groups.includes(dueGroupOf(todo, today.date, firstWeekday())),
      );
      return shown.length > 0 && folded(visit, day, section, { todos: shown, count, isOpen: isFree });
    })}`;
}

type Folded = Readonly<{ todos: TodosOfDay["todos"]; count: number; isOpen: boolean }>;

function folded(
  visit: Visit,
  { today, counts }: TodosOfDay,
  { name, groups }: Section,
  { todos, count, isOpen }: Folded,
): Html {
  const lists = groups.map((group) => {
    const own =
      groups.length === 1
        ? todos
        : todos.filter((todo) => dueGroupOf(todo, today.date, firstWeekday()) === group);
    const more = counts[group] > own.length && moreOf(group, counts[group]);
    return own.length > 0 && html`${todoList(visit, own, today)}${more}`;
  });
  return html`<details${isOpen && html` open`}><summary><h2 class="part">${name} <span class="count">${count}</span></h2></summary>${lists}</details>`;
}

const moreOf = (group: DueGroup, count: number): Html =>
  html`<p><a href="/account/todos?due=${group}">${groupNames[group]}: all ${count}</a></p>`;
