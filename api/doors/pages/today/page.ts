import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readAgentNews } from "../../../queries/action/runs.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type DaySummary, readDay } from "../../../queries/dashboard/read.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { type DueGroup, dueGroupOf } from "../../../queries/todo/groups.ts";
import { zoneScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { icon } from "../../../web/icons.ts";
import { firstWeekday, locale } from "../../../web/locale.ts";
import { readWaitingInWords, waitingBeside } from "../action/approval/approvals.ts";
import { effectsOf } from "../action/list/page.ts";
import { actionsPath, nameOfCaller } from "../action/words.ts";
import { groupNames, habitItem, type TodoItem, todoList } from "../kit/items.ts";
import { countInWords } from "../kit/words.ts";
import { liveMark, liveScripts } from "../live/live.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage, addPath, findLastVisit, reminderWarning } from "../session/frame.ts";
import { chosenForm, overdue } from "../todo/page.ts";

const firstHabits = ["habit Read every evening", "habit Run 3 times a week", "bad habit Smoking"];
const firstTodos = ["Call Mum every Sunday at 18:00", "Renew the passport in 3 weeks"];

/** The first habit, for people without one. */
function firstHabit({ context: { config } }: Visit): Html {
  const tokens =
    config.builtInIdentity &&
    html`Scripts use the REST API with a token that
    <a href="/profile/api-tokens">you create</a>.`;
  return html`<div class="empty"><p>No habits yet. <a href="/account/habits/new">Make your first</a>, or begin
    with one of these:</p>${examples(firstHabits)}
    <p class="quiet small">Or <a href="/account/connect">connect an AI agent</a> to <code>${config.baseUrl}/mcp</code> and ask it
    to set one up: it leads you through the sign-in, and you choose what it may do. ${tokens}</p></div>`;
}

/** The first todo, for people who have nothing at all. */
const firstTodo: Html = html`<div class="empty"><p>Nothing to do yet. Add a todo as you would say it:</p>${examples(firstTodos)}</div>`;

function examples(lines: readonly string[]): Html {
  const link = (line: string) =>
    html`<li><a href="${addPath}?${new URLSearchParams({ line }).toString()}">${line}</a></li>`;
  return html`<ul class="plain chips">${lines.map(link)}</ul>`;
}

/** One line about the changes of agents and scripts since the person last looked at Activity; empty without any. */
async function newsOfAgents(query: QueryContext, before: string): Promise<Html | false> {
  const news = await readAgentNews(query, before);
  if (news.length === 0) return false;
  const callers = [...Map.groupBy(news, ({ token_id }) => token_id).values()].map((own) => {
    const effects = effectsOf(own).map(({ effect, count }) => `${effect} ${count}`);
    return `${own.slice(0, 1).map(nameOfCaller)} ${effects.join(", ")}`;
  });
  const more = news.some(({ is_more }) => is_more) && ", and more before";
  return html`<p class="note news">${icon("activity")}<span>While you were away: ${callers.join("; ")}${more}.</span>
    <a href="${actionsPath}">Review</a></p>`;
}

/** GET /account: what there is to do today, and below it how it went so far. */
export async function showToday(visit: Visit): Promise<PageAnswer> {
  const { context, session } = visit;
  const [mark, warning] = await Promise.all([liveMark(visit), reminderWarning(visit)]);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const { newest } = await findLastVisit(visit, query.now);
  const day = await query.inTurn((own) => readAll(own, newest));
  if (isRefused(day)) return day;
  const { today, totals, todos, due } = day;
  const date = new Date(today.date).toLocaleDateString(locale(), { dateStyle: "full", timeZone: "UTC" });
  const done = due.habits.filter(({ habit }) => habit.is_completed_today).length;
  const hasNothing = todos.length + totals.habits === 0;
  const lead = html`<div id="lead" class="quiet lead" data-part data-now>${date}${!hasNothing && ring(day, done)}</div>`;
  const body = html`${mark}${travelOffer(visit, today.timeZone)}
    <div id="day" data-part>${warning}${day.news}${waitingBeside(visit, day.waiting)}
    <div class="columns"><section aria-label="Todos">
    ${hasNothing ? firstTodo : todosOfDay(visit, day)}
    ${!hasNothing && html`<p class="links"><a href="/account/todos">All todos</a></p>`}</section>
    <section class="card" aria-labelledby="habits"><h2 id="habits">Habits
    ${due.total > 0 && html`<span class="count small" id="habits-done" data-now><span class="done">${done}</span> of ${due.total}</span>`}</h2>
    ${totals.habits === 0 ? firstHabit(visit) : habitsOfDay(visit, day)}</section></div>
    ${chosenForm(visit, day.categories)}</div>`;
  return accountPage(visit, {
    title: "Today",
    lead,
    body,
    scripts: [...liveScripts, zoneScript],
  });
}

/** A ring with the part of the day that is done: its habits, and the todos that are due or were done today. */
function ring({ today, totals, due, counts }: DaySummary, habits: number): Html | false {
  const done = totals.strip[today.date] ?? 0;
  const all = done + due.total - habits + counts.today;
  if (all === 0) return false;
  return html`<svg class="ring" data-all="${all}" viewBox="0 0 52 52" role="img" aria-label="${done} of ${all} done today">
    <circle cx="26" cy="26" r="23"/>
    <circle class="so-far" cx="26" cy="26" r="23" pathLength="100" stroke-dasharray="${Math.round((100 * done) / all)} 100" transform="rotate(-90 26 26)"/>
    <text class="done" x="26" y="27">${done}</text><text class="of" x="26" y="38">of ${all}</text></svg>`;
}

/** `zoneScript` shows it where the clock differs from the account's, until the person answers. */
const travelOffer = (visit: Visit, timeZone: string): Html =>
  html`<form method="post" action="/account/settings/day" class="note" data-travel="${timeZone}" hidden>${formToken(visit)}
    <input type="hidden" name="time_zone" data-zone>
    <p>The clock of this device is that of <strong></strong>; Kept follows ${timeZone}.</p>
    <button>Follow this device</button> <button type="button" class="link">Keep ${timeZone}</button></form>`;

const readAll = async (own: QueryContext, lastSeen: string) => ({
  ...(await readDay(own, firstWeekday())),
  categories: await readCategoryRefs(own),
  news: await newsOfAgents(own, lastSeen),
  waiting: await readWaitingInWords(own),
});

function habitsOfDay(
  visit: Visit,
  { due, today, totals }: Pick<DaySummary, "due" | "today" | "totals">,
): Html {
  const { habits, total } = due;
  const list =
    habits.length === 0
      ? html`<p class="quiet">No habit is due today.</p>`
      : html`<ul class="plain">${habits.map((item) => habitItem(visit, item, today.date))}</ul>`;
  const more = total > habits.length && html`<p class="quiet">And ${total - habits.length} more.</p>`;
  return html`${list}${more}
    <p><a href="/account/habits">All ${countInWords(totals.habits, "habit")}</a></p>`;
}

type Timed = Pick<TodoItem, "due_time" | "time_of_day"> &
  Readonly<{ reminder: Readonly<{ local_time: string }> | null }>;

const partsOfDay = ["Morning", "Afternoon", "Evening", "Any time"] as const;

/** The part of the day of a time such as `09:30`. */
const partOf = (time: string): (typeof partsOfDay)[number] =>
  time < "12" ? "Morning" : time < "18" ? "Afternoon" : time < "24" ? "Evening" : "Any time";

/** The todos of a day under its parts; without headings if none has a time. */
function inParts(visit: Visit, todos: readonly TodoItem[], today: DaySummary["today"]): Html {
  const parts = Map.groupBy(inOrderOfDay(todos, today.date), (todo) => partOf(timeOf(todo, today.date)));
  if (parts.size === 1 && parts.has("Any time")) return todoList(visit, todos, today);
  return html`${partsOfDay.map((part) => {
    const own = parts.get(part);
    return own && html`<h2 class="part">${part}</h2>${todoList(visit, own, today)}`;
  })}`;
}

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

/** The things that can wait, each folded in one line. */
const later = ["tomorrow", "week", "later", "undated"] as const satisfies readonly DueGroup[];

type TodosOfDay = Pick<DaySummary, "todos" | "counts" | "today">;

/** The todos of the day in one order; what was left over and what can wait is folded, unless there is nothing else. */
function todosOfDay(visit: Visit, day: TodosOfDay): Html {
  const { todos, counts, today } = day;
  if (todos.length === 0) return html`<p>All done. Enjoy the rest of the day.</p>`;
  const own = todos.filter(({ due_date }) => due_date === today.date);
  const left = todos.filter(({ due_date }) => due_date !== null && due_date < today.date);
  const count = counts.overdue - own.filter(({ is_overdue }) => is_overdue).length;
  const isFree = own.length + left.length === 0;
  const ahead = counts.today + counts.overdue - count;
  return html`${overdue(visit, left, { count, today, isOpen: own.length === 0 })}
    ${isFree && html`<p class="quiet">Nothing more is due today.</p>`}
    ${own.length > 0 && inParts(visit, own, today)}
    ${ahead > own.length && moreOf("today", ahead)}
    ${later.map((group) => {
      const shown = todos.filter((todo) => dueGroupOf(todo, today.date, firstWeekday()) === group);
      return (
        shown.length > 0 &&
        html`<details${isFree && html` open`}><summary><h2 class="part">${groupNames[group]} <span class="count">${counts[group]}</span></h2></summary>
        ${todoList(visit, shown, today)}${counts[group] > shown.length && moreOf(group, counts[group])}</details>`
      );
    })}`;
}

const moreOf = (group: DueGroup, count: number): Html =>
  html`<p><a href="/account/todos?due=${group}">${groupNames[group]}: all ${count}</a></p>`;
