import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readDueTodos } from "../../../queries/todo/groups.ts";
import { icon } from "../../../web/icons.ts";
import { locale } from "../../../web/locale.ts";
import { todoList } from "../kit/items.ts";
import { countInWords, sayDate } from "../kit/words.ts";
import { liveMark, liveScripts } from "../live/live.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { chosenForm, overdue } from "../todo/page.ts";

const path = "/account/upcoming";
const daysShown = 14;

/** GET /account/upcoming?from=…: two weeks by day, and the months after them. */
export async function showUpcoming(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const mark = await liveMark(visit);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const found = await query.inTurn((own) => readAll(own, url.searchParams.get("from") ?? ""));
  if (isRefused(found)) return found;
  const { today, first, ahead, late, categories } = found;
  const last = addDays(first, daysShown - 1);
  const days = Array.from({ length: daysShown }, (_, index) => addDays(first, index));
  const byDay = Map.groupBy(ahead.todos, ({ due_date }) => due_date ?? "");
  const months = Map.groupBy(
    ahead.todos.filter(({ due_date }) => due_date !== null && due_date > last),
    ({ due_date }) => due_date?.slice(0, 7) ?? "",
  );
  const more = ahead.total - ahead.todos.length;
  // Nobody knows here what the days after the last shown todo have.
  const known = more > 0 ? (ahead.todos.at(-1)?.due_date ?? first) : last;
  const lead = html`<p class="quiet lead">Drag a todo to another day.</p>
    <div class="corner" role="group" aria-label="Weeks">${first > today.date && turn(addDays(first, -daysShown), today.date, "Two weeks earlier", icon("previous"))}
    ${first > today.date && html`<a class="button plain" href="${path}">Today</a>`}
    ${turn(addDays(first, daysShown), today.date, "Two weeks later", icon("next"))}</div>`;
  const body = html`${mark}<div id="upcoming" data-part>
    <ul class="plain days-ahead" aria-label="Days">${days.map((date) => dayLink(date, today.date, more > 0 && date >= known ? 0 : (byDay.get(date)?.length ?? 0)))}</ul>
    ${overdue(visit, late, { count: late.length, today, isOpen: false })}
    ${days
      .filter((date) => date > today.date && date <= known)
      .map(
        (date) => html`<section class="day" id="day-${date}" data-day="${date}">
        <h2><span>${dayOf(date)}</span> ${headingOf(date, today.date)}</h2>
        ${byDay.has(date) ? todoList(visit, byDay.get(date) ?? [], today, date) : html`<p class="quiet">Nothing planned</p>`}</section>`,
      )}
    ${[...months].map(([month, todos]) => html`<section class="day"><h2>${inWords(`${month}-01`, { month: "long", year: "numeric" })}</h2>${todoList(visit, todos, today)}</section>`)}
    ${more > 0 && html`<p><a href="/account/todos?due=later">And ${more} more</a></p>`}
    ${chosenForm(visit, categories)}</div>`;
  return accountPage(visit, { title: "Upcoming", lead, body, scripts: liveScripts });
}

async function readAll(query: QueryContext, from: string) {
  const { today } = await readDaySettings(query);
  const first = isCalendarDate(from) && from > today.date ? from : today.date;
  const { todos } = await readDueTodos(query, today, "overdue");
  const late = todos.filter(({ due_date }) => first === today.date && (due_date ?? first) < first);
  const ahead = await readDueTodos(query, today, { from: first });
  return { today, first, ahead, late, categories: await readCategoryRefs(query) };
}

/** A day of the two weeks with a bar for its todos. Today has a page of its own. */
const dayLink = (date: string, today: string, count: number): Html =>
  html`<li data-day="${date}"><a href="${date === today ? "/account" : `#day-${date}`}"${date === today && html` aria-current="date"`}>
    <span>${inWords(date, { weekday: "short" })}</span><b>${dayOf(date)}</b>${count > 0 && html`<span class="unseen">, ${countInWords(count, "todo")}</span>`}
    <svg viewBox="0 0 20 4" aria-hidden="true">${count > 0 && html`<rect x="${10 - width(count) / 2}" width="${width(count)}" height="4" rx="2"/>`}</svg></a></li>`;

const width = (count: number): number => Math.min(20, 5 * count);

const turn = (date: string, today: string, label: string, drawing: Html): Html =>
  html`<a class="button plain" href="${date > today ? `${path}?from=${date}` : path}" aria-label="${label}">${drawing}</a>`;

const dayOf = (date: string): number => Number(date.slice(8));

/** `Tomorrow, Sunday`, `Monday`, and with the month for the first days of one: `Tuesday, 1 December`. */
function headingOf(date: string, today: string): string {
  if (date === addDays(today, 1)) return `${sayDate(date, today)}, ${inWords(date, { weekday: "long" })}`;
  return inWords(date, { weekday: "long", ...(dayOf(date) === 1 && { day: "numeric", month: "long" }) });
}

const inWords = (date: string, how: Intl.DateTimeFormatOptions): string =>
  new Date(date).toLocaleDateString(locale(), { ...how, timeZone: "UTC" });
