import { type Html, html } from "../../../../shared/html.ts";
import type { DaySummary } from "../../../queries/dashboard/day.ts";
import { type DueGroup, dueGroupOf } from "../../../queries/todo/due-groups.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { groupNames, type TodoItem, todoList } from "../kit/todo-item.ts";
import type { Visit } from "../session/context.ts";
import { moveOverdue } from "../todo/many.ts";

type Timed = Pick<TodoItem, "due_time" | "time_of_day"> &
  Readonly<{ reminder: Readonly<{ local_time: string }> | null }>;

/** Sorts the todos of a day by time: a part of the day stands for its end, and todos without any time come last. */
export const inOrderOfDay = <Todo extends Timed>(todos: readonly Todo[], today: string): readonly Todo[] =>
  todos.toSorted((a, b) => timeOf(a, today).localeCompare(timeOf(b, today)));

const ends = { morning: "11:59", afternoon: "17:59", evening: "23:59" } as const;

/** The due time, else the time of today's reminder, else the end of the part of the day. */
function timeOf({ due_time, time_of_day, reminder }: Timed, today: string): string {
  if (due_time !== null) return due_time;
  if (reminder?.local_time.startsWith(today)) return reminder.local_time.slice(11, 16);
  return time_of_day === null ? "24:00" : ends[time_of_day];
}

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
