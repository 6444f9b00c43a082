import { LRUCache } from "lru-cache";
import type { Static } from "typebox";
import { otherFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { type Todo, todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { addDays, dayNumber, isoWeekday, type Today } from "../../../../shared/domain/day/day.ts";
import { isPausedOn } from "../../../../shared/domain/habit/free-days.ts";
import { daysShown } from "../../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import type { DueGroup } from "../../../queries/todo/groups.ts";
import { formToken } from "../../../web/form/form.ts";
import { icon } from "../../../web/icons.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { progressOf } from "./notes.ts";
import {
  amountInWords,
  categoryTag,
  drawn,
  endsToday,
  facts,
  pauseInWords,
  rhythmInWords,
  sayDate,
  sayDay,
  sayDue,
  sayTime,
  sayWallTime,
  streakUnit,
  weekInWords,
} from "./words.ts";

/** A habit in a list: ticked off or not, with its streak and the days before, which can be ticked as well. */
export function habitItem(visit: Visit, item: HabitInWeek, today: string): Html {
  const { id, name, type, category, is_completed_today: done, target, unit, amount_today } = item.habit;
  const share = target === null ? 0 : Math.min(1, (amount_today ?? 0) / target);
  const [isNot, isDone] = [`${type === "bad" ? "Avoided" : "Done"} today: ${name}`, `Undo: ${name}`];
  return html`<li class="item${done && " done"}" id="habit-${id}">
    ${tickButton(visit, { kind: "habit", id, day: today, done, labels: [isNot, isDone], category, share })}
    <div class="what"><p class="name"><a href="/account/habits/${id}" dir="auto">${name}</a></p>
    ${facts(factsOfHabit(item, today))}
    ${target !== null && html`<div class="counted">${amountForm(visit, { id, day: today, name, unit })}</div>`}</div>
    ${dayCells(item, today)}
    ${streak(item)}${habitMore(visit, item, today)}</li>`;
}

function factsOfHabit(item: HabitInWeek, today: string) {
  const { habit } = item;
  const rhythm = rhythmOf(habit);
  const isDaily = "every" in rhythm && rhythm.every === 1;
  return [
    endsToday(item, today) ? html`<strong class="late">${icon("flame")} ends tonight</strong>` : null,
    habit.target === null ? null : amountInWords(habit, habit.amount_today ?? 0),
    pauseInWords(item, today),
    isDaily ? null : (weekInWords(item) ?? rhythmInWords(rhythm)),
    habit.type === "bad" ? "to avoid" : null,
    habit.time_of_day,
    habit.remind_at && drawn("bell", sayTime(habit.remind_at)),
    categoryTag(habit.category),
  ];
}

function streak(item: HabitInWeek): Html {
  const { habit, doneDays, target } = item;
  const { streak_count, longest_streak, is_completed_today: done } = habit;
  // Scripts show at once what a tick makes of it. A week counts with the completion that fills it.
  const counts = !("times" in rhythmOf(habit)) || doneDays.length + (done ? 0 : 1) === target;
  const other = Math.max(0, streak_count + (counts ? (done ? -1 : 1) : 0));
  const best = longest_streak > streak_count && html` · best ${longest_streak}`;
  return html`<p class="streak${streak_count > 0 && " alive"}" id="streak-${habit.id}" data-other="${other}" data-now>${icon("flame")}<strong>${streak_count}</strong>
    <span class="unit">${streakUnit(habit, streak_count)}<span class="unseen"> in the streak</span>${best}</span></p>`;
}

const letters = ["M", "T", "W", "T", "F", "S", "S"];

/** The days before today, the latest last: buttons of the habit's own tick form. */
function dayCells({ habit, periodDays = [] }: HabitInWeek, today: string): Html {
  const cells = Array.from({ length: daysShown }, (_, index) => addDays(today, index - daysShown)).map(
    (date) => {
      const isDone = periodDays.includes(date);
      const isSkipped = habit.skipped_dates.includes(date);
      const kind = isDone ? "done" : isSkipped ? "skipped" : "open";
      const letter = letters[isoWeekday(dayNumber(date)) - 1];
      const words = `${sayDate(date, today)}, ${kind === "open" ? "not done" : kind}: ${habit.name}`;
      if (isSkipped)
        return html`<span class="cell ${kind} fixed" role="img" aria-label="${words}" data-day="${letter}"></span>`;
      return html`<button class="cell ${kind}" form="${tickFormId({ kind: "habit", id: habit.id })}" name="on"
      value="${date} ${isDone ? "no" : "yes"}" aria-label="${words}" data-day="${letter}"></button>`;
    },
  );
  return html`<div class="cells">${cells}</div>`;
}

type Choice = readonly [answer: string, label: string];

/** The rarer acts on a habit in a list, folded. They name their day, so a late press means the day that was shown. */
export function habitMore(visit: Visit, item: HabitInWeek, today: string): Html {
  const { id, name } = item.habit;
  const buttons = choicesOf(item, today).map(
    ([answer, label]) => html`<button class="plain" name="done" value="${answer}">${label}</button>`,
  );
  return html`<details class="more" name="more"><summary aria-label="More: ${name}">⋯</summary>
    <form method="post" action="/account/tick" class="card" data-stay>${tickFields(visit, { kind: "habit", id, day: today, date: today })}
    ${buttons}<a href="/account/habits/${id}/edit">Edit</a></form></details>`;
}

function choicesOf({ habit, isDue }: HabitInWeek, today: string): readonly Choice[] {
  if (isPausedOn(habit, today))
    return [[habit.paused_from === today ? "unpause" : "resume", "Bring it back"]];
  const isWeekly = "times" in rhythmOf(habit);
  const skip: readonly Choice[] = habit.skipped_dates.includes(today)
    ? [["unskip", "Take the skip back"]]
    : isDue && !habit.is_completed_today
      ? [["skip", isWeekly ? "Skip this week" : "Skip today"]]
      : [];
  return [...skip, ["pause", "Pause for a week"], ["archive", "Archive"]];
}

/** The form of the boxes that choose todos. */
export const chosenFormId = "chosen";

export type TodoItem = Static<typeof Todo>;

/**
 * A list of todos, pending or done.
 * @param said the day that the heading says, which rows do not repeat
 */
export const todoList = (visit: Visit, todos: readonly TodoItem[], today: Today, said = today.date): Html =>
  html`<ul class="plain">${todos.map((todo, index) =>
    todoItem(visit, todo, { today, said, next: todos[index + 1] ?? todos[index - 1] }),
  )}</ul>`;

/** The present day, and the todo that follows in the list. */
type ItemContext = Readonly<{ today: Today; said: string; next: TodoItem | undefined }>;

function todoItem(visit: Visit, todo: TodoItem, { today, said, next }: ItemContext): Html {
  const { id, title, category, is_completed: done, is_important } = todo;
  return html`<li class="item${done && " done"}" id="todo-${id}">
    ${tickButton(visit, {
      ...{
        kind: "todo",
        id,
        done,
        day: today.date,
        labels: [`Done: ${title}`, `Open again: ${title}`],
        category,
      },
      next: next && `todo-${next.id}`,
    })}
    <div class="what"><p class="name">${is_important && important}<a href="/account/todos/${id}" dir="auto">${title}</a></p>
    ${facts(factsOfTodo(todo, today.date))}</div>${due(todo, today, said)}
    <input type="checkbox" class="pick" name="todo_id" value="${id}" form="${chosenFormId}" autocomplete="off" aria-label="Choose: ${title}"></li>`;
}

const important = html`<span class="important" role="img" aria-label="Important">${icon("flag")}</span> `;

/** The fields of a todo that pages have no own words for. */
export const othersOfTodo = otherFields(todoFields, [
  ...["title", "description", "due_date", "due_time", "time_of_day", "estimated_minutes"],
  ...["category_id", "is_important", "recurrence", "recurrence_from"],
]);

/** The same in words: a text stands alone, such as `desk`, and a word behind its label. */
export const otherFacts = (todo: Readonly<Record<string, unknown>>): string[] =>
  othersOfTodo(todo).map(({ label, kind, value }) =>
    kind === "line" ? String(value) : `${label.toLowerCase()}${value === true ? "" : ` ${value}`}`,
  );

/** The line below the title, of which a narrow screen shows the beginning. */
function factsOfTodo(todo: TodoItem, today: string) {
  const { category, description, recurrence, estimated_minutes: minutes } = todo;
  return [
    categoryTag(category),
    todo.due_time === null ? todo.time_of_day : null,
    recurrence && drawn("habits", saidRules.memo(recurrence)),
    minutes && drawn("clock", sayMinutes(minutes)),
    ...otherFacts(todo),
    reminderInWords(todo, today),
    description && notesInWords(description),
  ];
}

function notesInWords(description: string): Html {
  const progress = progressOf(description);
  return progress === undefined ? drawn("notes", "notes") : drawn("todos", progress);
}

function due(todo: TodoItem, today: Today, said: string): Html | null {
  if (todo.completed_at !== null)
    return html`<p class="due">Done ${sayDay(todo.completed_at, today.timeZone, today.date)}</p>`;
  const { is_overdue: isOverdue, due_date } = todo;
  const when = due_date === said ? todo.due_time && sayTime(todo.due_time) : sayDue(todo, today.date);
  return when === null
    ? null
    : html`<p class="due${isOverdue && " late"}">${isOverdue && html`<span class="unseen">Overdue · </span>`}${when}</p>`;
}

const reminderWords = {
  sent: "reminded",
  unsent: "reminder reached nobody",
  missed: "reminder missed",
  failed: "reminder failed",
} as const;

/** A suspended reminder is not shown: it waits for its todo to be reopened. */
function reminderInWords({ reminder }: TodoItem, today: string): Html | null {
  if (reminder === null || reminder.status === "suspended") return null;
  const time = sayWallTime(reminder.local_time, today);
  return drawn("bell", reminder.status === "scheduled" ? time : `${reminderWords[reminder.status]} ${time}`);
}

/**
 * Rules in words are cached: making one takes a quarter of a millisecond, and a page may have a hundred todos that
 * repeat.
 */
const saidRules = new LRUCache<string, string>({ max: 1_000, memoMethod: sayRepeat });

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

/** The labels say what a press does: to an item that is not done, and to one that is. */
type Tick = Tickable &
  Readonly<{
    done: boolean;
    labels: readonly [string, string];
    category: Readonly<{ color: string }> | null;
    /** The part of a target that is reached, from 0 to 1. */
    share?: number;
  }>;

/** The round button before an item, which completes it or undoes that. Scripts show its other label at once. */
export function tickButton(visit: Visit, { done, labels, category, share = 0, ...item }: Tick): Html {
  const [label, other] = done ? labels.toReversed() : labels;
  return html`<form method="post" action="/account/tick" id="${tickFormId(item)}" data-stay>${tickFields(visit, item)}
    <button class="tick" name="done" value="${done ? "no" : "yes"}" aria-label="${label}" data-other="${other}"><svg viewBox="0 0 24 24" aria-hidden="true">${share > 0 && !done && pie(share)}
    <circle cx="12" cy="12" r="11"${category && html` stroke="${category.color}"`}/><path d="M7.5 12.5l3 3 6-6.5"/></svg></button>
    </form>`;
}

/** The id of the form that ticks an item, for buttons outside it. */
const tickFormId = ({ kind, id, date }: Pick<Tickable, "kind" | "id" | "date">): string =>
  `tick-${kind}-${id}${date === undefined ? "" : `-${date}`}`;

/** A slice of the circle, beginning at its top. */
const pie = (share: number): Html =>
  html`<circle class="pie" cx="12" cy="12" r="4" pathLength="100" stroke-dasharray="${Math.round(share * 100)} 100" transform="rotate(-90 12 12)"/>`;

type Counted = Readonly<{ name: string; unit: string | null; date?: string }>;

/** Adds an amount to a day of a habit with a target. */
export function amountForm(visit: Visit, { name, unit, ...item }: Omit<Tickable, "kind"> & Counted): Html {
  return html`<form method="post" action="/account/tick" class="amount" data-stay>${tickFields(visit, { ...item, kind: "habit" })}
    <input type="number" name="amount" value="1" min="0.001" step="any" max="100000" required aria-label="${unit ?? "Amount"} to add: ${name}">
    <button class="plain" name="done" value="add">Add</button></form>`;
}

export type Tickable = Readonly<{
  kind: "habit" | "todo";
  id: number;
  /** The user's day that the page shows: a page of yesterday must not complete anything without asking. */
  day: string;
  /** The day to complete, if it is not today. */
  date?: string;
  /** The id of the element to go on at when this one leaves its list, for browsers without scripts. */
  next?: string | undefined;
}>;

/** The hidden fields of a form that completes an item or undoes that. */
export function tickFields(visit: Visit, { kind, id, day, date, next }: Tickable): Html {
  const here = hereWithoutNotes(visit);
  const from = here === "/account" ? null : here;
  return formToken(visit, { [`${kind}_id`]: id, day, date, next, from });
}
