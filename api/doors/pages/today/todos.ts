import { type Html, html } from "../../../../shared/html.ts";
import type { DaySummary } from "../../../queries/dashboard/day.ts";
import { type DueGroup, dueGroupOf } from "../../../queries/todo/due-groups.ts";
import { type TodoItem, todoList } from "../kit/todo-item.ts";
import type { Visit } from "../session/context.ts";
import { groupNames } from "../todo/group-names.ts";

/** One heading with the groups of due dates below it. */
type Section = Readonly<{ name: string; groups: readonly DueGroup[]; isFolded: boolean }>;

const sections: readonly Section[] = [
  { name: groupNames.overdue, groups: ["overdue"], isFolded: false },
  { name: groupNames.today, groups: ["today"], isFolded: false },
  { name: groupNames.tomorrow, groups: ["tomorrow"], isFolded: false },
  { name: groupNames.later, groups: ["week", "later"], isFolded: true },
  { name: groupNames.undated, groups: ["undated"], isFolded: true },
];

type TodosOfDay = Pick<DaySummary, "todos" | "counts" | "today">;

/** The pending todos by due date. Those that can wait are folded, unless all can. */
export function todosOfDay(visit: Visit, day: TodosOfDay): Html {
  const { todos, today } = day;
  if (todos.length === 0) return html`<p class="quiet">Nothing is pending.</p>`;
  const groups = Map.groupBy(todos, ({ due_date }) => dueGroupOf(due_date, today.date));
  const shown = sections.filter((one) => one.groups.some((group) => groups.has(group)));
  const canWait = shown.every(({ isFolded }) => isFolded);
  return html`${canWait && html`<p class="quiet">Nothing is due today or tomorrow.</p>`}
    ${shown.map((one) => section(visit, day, one, { groups, isOpen: canWait }))}`;
}

function section(
  visit: Visit,
  { counts, today }: TodosOfDay,
  { name, groups, isFolded }: Section,
  shown: Readonly<{ groups: ReadonlyMap<DueGroup, readonly TodoItem[]>; isOpen: boolean }>,
): Html {
  const count = groups.reduce((sum, group) => sum + counts[group], 0);
  const heading = html`<h3 class="part">${name} <span class="count">${count}</span></h3>`;
  const lists = groups.map((group) => {
    const own = shown.groups.get(group) ?? [];
    const more = counts[group] > own.length && moreOf(group, counts[group]);
    return own.length > 0 && html`${todoList(visit, own, today)}${more}`;
  });
  return isFolded
    ? html`<details${shown.isOpen && html` open`}><summary>${heading}</summary>${lists}</details>`
    : html`${heading}${lists}`;
}

const moreOf = (group: DueGroup, count: number): Html =>
  html`<p><a href="/account/todos?due=${group}">${groupNames[group]}: all ${count}</a></p>`;
