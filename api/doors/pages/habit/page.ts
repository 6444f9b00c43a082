import { sumOn } from "../../../../shared/contracts/habit/fields.ts";
import { listHabits } from "../../../../shared/contracts/habit/queries.ts";
import { addDays, dayNumber, isoWeekday, localDay, type Today } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { datesIn, isPausedOn, spansOf } from "../../../../shared/domain/habit/free-days.ts";
import { daysShown } from "../../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { queryFields, validate } from "../../../http/input.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import type { DoneDays } from "../../../queries/habit/read.ts";
import {
  type HabitFilters,
  type HabitInWeek,
  type HabitInYear,
  habitSorts,
  habitsPerPage,
  readHabitInYear,
  readHabitPage,
  weekOf,
} from "../../../queries/habit/week.ts";
import { locale } from "../../../web/locale.ts";
import { notFoundPage } from "../../../web/router.ts";
import { authorship } from "../action/words.ts";
import { amountForm, habitItem, tickFields } from "../kit/items.ts";
import {
  categoryChoices,
  chosenFilters,
  chosenSort,
  type FilterChoice,
  filterSelect,
  foldedFilters,
  isWhole,
  pager,
  withoutPage,
} from "../kit/lists.ts";
import {
  amountInWords,
  capitalized,
  categoryTag,
  countInWords,
  drawn,
  facts,
  isArchived,
  outlookInWords,
  pauseInWords,
  rhythmInWords,
  sayDate,
  sayTime,
  streakUnit,
  weekdayNames,
  weekInWords,
} from "../kit/words.ts";
import { liveMark, liveScripts } from "../live/live.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { pathId } from "../session/go-on.ts";
import { firstCalendarDay, yearPicture } from "./calendar.ts";

const path = "/account/habits";

/** GET /account/habits?q=…&category_id=…&sort=…&page=…: all habits, those due today first. */
export async function showHabits(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const chosen = chosenFilters(url, ["q", "category_id", "sort", "page"]);
  const validated = validate(listHabits, queryFields(listHabits.input, chosen));
  if (isRefused(validated)) return validated;
  const { page: number = 1, ...filters } = validated.input;
  const sort = chosenSort(chosen, habitSorts);
  const mark = await liveMark(visit);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const reading = query.inTurn(
    (own) => readAll(own, { ...filters, sort, page: number }),
    filters.q !== undefined,
  );
  const found = await orStopped("q", reading);
  if (isRefused(found)) return found;
  const { today, habits, total, categories } = found;
  const narrowing = withoutPage(chosen);
  const lastPage = Math.max(1, Math.ceil(total / habitsPerPage));
  const body = html`${mark}
    ${foldedFilters(path, narrowing, [
      filterSelect({ name: "category_id", label: "Category" }, categoryChoices(categories), narrowing),
      filterSelect({ name: "sort", label: "Order" }, sorts, narrowing, "Due today first"),
    ])}
    <div id="habits" data-part>
    ${!isWhole(narrowing) && html`<p class="quiet">${countInWords(total, "habit")} found.</p>`}
    ${sort ? list(visit, habits, today) : groups(visit, habits, today)}
    ${pager({ path, chosen, page: number, lastPage })}</div>`;
  const lead = html`<p class="links lead"><a href="${path}/new">New habit</a>
    <a href="/account/categories">Categories</a></p>`;
  return accountPage(visit, { title: "Habits", lead, body, scripts: liveScripts });
}

async function readAll(query: QueryContext, wanted: HabitFilters & Readonly<{ page: number }>) {
  const { today } = await readDaySettings(query);
  const found = await readHabitPage(query, today, wanted);
  return { today, ...found, categories: await readCategoryRefs(query) };
}

const sorts: readonly FilterChoice[] = [
  ["name", "Name"],
  ["streak", "Longest streak"],
];

const list = (visit: Visit, habits: readonly HabitInWeek[], { date }: Today): Html =>
  html`<ul class="plain">${habits.map((item) => habitItem(visit, item, date))}</ul>`;

function groups(visit: Visit, habits: readonly HabitInWeek[], today: Today): Html {
  if (habits.length === 0) return html`<p class="quiet">No habits yet.</p>`;
  const {
    due = [],
    later = [],
    archived = [],
  } = Object.groupBy(habits, (item) =>
    item.isDue ? "due" : isArchived(item, today.date) ? "archived" : "later",
  );
  const parts = [
    ["Due today", due],
    ["Not due today", later],
  ] as const;
  return html`${parts.map(
    ([name, own]) => own.length > 0 && html`<h2 class="part">${name}</h2>${list(visit, own, today)}`,
  )}
    ${archived.length > 0 && html`<details><summary><h2 class="part">Archived <span class="count">${archived.length}</span></h2></summary>${list(visit, archived, today)}</details>`}`;
}

/** GET /account/habits/:id: one habit with its streak, week and year, and the days that can still be corrected. */
export async function showHabit(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const mark = await liveMark(visit);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const found = await query.inTurn((own) => readHabitInYear(own, pathId(url), firstCalendarDay));
  if (found && isRefused(found)) return found;
  if (!found) return notFoundPage(context.site);
  const { item, today, done, notes } = found;
  const { habit } = item;
  const body = html`${mark}
    <div id="habit" data-part>${tiles(found)}
    <div class="card">${yearPicture({
      title: `${countInWords(done.size, "day")} since ${sayDated(firstCalendarDay(today.date), today.date, locale())}`,
      today: today.date,
      done,
      free: datesIn(spansOf(item.free), firstCalendarDay(today.date), today.date),
      since: localDay(Date.parse(habit.created_at), today.timeZone, 0),
      sayDone: (times) => (times > 0 ? "done" : "not done"),
    })}</div>
    <h2>The last days</h2>
    ${lastDays(visit, item, { today: today.date, done })}
    <div class="card">${byWeekday(done)}</div>
    ${
      notes.length > 0 &&
      html`<h2>Notes</h2>
    <ul class="plain" id="notes">${notes.map(
      ({ date, note }) =>
        html`<li class="card"><p><strong>${sayDate(date, today.date)}</strong></p>
        <p class="description">${note}</p></li>`,
    )}</ul>`
    }${await authorship(query, "habit", habit.id)}</div>`;
  return accountPage(visit, { title: habit.name, lead: introduction(found), body, scripts: liveScripts });
}

function introduction({ item: { habit } }: HabitInYear): Html {
  const { id, type, time_of_day, remind_at, category, description } = habit;
  const rhythm = rhythmInWords(rhythmOf(habit));
  const reminder = remind_at && drawn("bell", sayTime(remind_at));
  return html`<div class="lead">${facts([rhythm, time_of_day, reminder, type === "bad" ? "to avoid" : null, categoryTag(category)])}
    ${description && html`<p class="description">${description}</p>`}
    <p class="links"><a href="/account/habits/${id}/edit">Edit</a>
    <a href="/account/habits">All habits</a></p></div>`;
}

function tiles({ item, today, done }: HabitInYear): Html {
  const { habit } = item;
  const outlook = outlookInWords(item, today.date);
  const pause = pauseInWords(item, today.date);
  const recent = [...done.keys()].filter((date) => date > addDays(today.date, -30)).length;
  return html`<ul class="plain tiles">
    ${tile(habit.streak_count, `${streakUnit(habit, 1)} streak`)}
    ${tile(habit.longest_streak, "best streak")}
    ${tile(habit.completions_count, habit.completions_count === 1 ? "time done" : "times done")}
    ${tile(recent, "of the last 30 days")}</ul>
    <div class="card spread"><p>${pause && `${sentence(pause)} `}${outlook ? sentence(outlook) : habit.streak_count === 0 && "No streak at present."}</p>
    <p class="week">${weekDots(item.doneDays, today.date)} ${weekInWords(item)}</p></div>`;
}

/** A bar for each weekday of the last year. */
function byWeekday(done: DoneDays): Html {
  const counts = weekdayNames.map(
    (_, index) => [...done.keys()].filter((date) => isoWeekday(dayNumber(date)) === index + 1).length,
  );
  const most = Math.max(1, ...counts);
  const bar = (count: number, index: number) => {
    const height = Math.max(2, Math.round((60 * count) / most));
    return html`<rect x="${index * 40 + 8}" y="${74 - height}" width="24" height="${height}" rx="4"/>
      <text x="${index * 40 + 20}" y="${70 - height}">${count > 0 && count}</text><text class="label" x="${index * 40 + 20}" y="88">${weekdayNames[index]}</text>`;
  };
  const words = weekdayNames.map((name, index) => `${name} ${counts[index]}`).join(", ");
  return html`<figure class="strip"><figcaption>By weekday</figcaption>
    <svg viewBox="0 0 280 92" role="img" aria-label="${words}">${counts.map(bar)}</svg></figure>`;
}

const sentence = (words: string): string => `${capitalized(words)}.`;

const tile = (number: number | string, label: string): Html => html`<li class="card tile">
  <strong>${number}</strong> <span class="quiet">${label}</span></li>`;

type Week = Readonly<{ today: string; done: DoneDays }>;

/** Buttons for today and the days before it, newest first. */
function lastDays(visit: Visit, item: HabitInWeek, { today, done }: Week): Html {
  const dates = Array.from({ length: daysShown + 1 }, (_, ago) => addDays(today, -ago));
  const day = (date: string): Html => {
    const isDone = done.has(date);
    const isSkipped = item.habit.skipped_dates.includes(date);
    const amount = sumOn(item.habit, date) ?? 0;
    const counted = amountInWords(item.habit, amount);
    return html`<li class="spread${isDone && " done"}" id="day-${date}">
      <p><strong>${sayDate(date, today)}</strong> <span class="quiet">${isSkipped ? "skipped" : wordFor(item, { date, isDone, today })}${counted && `, ${counted}`}</span></p>
      ${dayForm(visit, item, { date, isDone, isSkipped, today, amount })}</li>`;
  };
  return html`<ul class="plain days" id="habit-${item.habit.id}">${dates.map(day)}</ul>`;
}

function wordFor({ habit }: HabitInWeek, { date, isDone, today }: Omit<Day, "isSkipped" | "amount">): string {
  if (!isDone && isPausedOn(habit, date)) return "paused";
  if (date === today && !isDone) return "not yet";
  if (habit.type === "bad") return isDone ? "avoided" : "not avoided";
  return isDone ? "done" : "not done";
}

type Day = Readonly<{ date: string; isDone: boolean; isSkipped: boolean; today: string; amount: number }>;

function dayForm(visit: Visit, item: HabitInWeek, { date, isDone, isSkipped, today, amount }: Day): Html {
  const { id, unit, target, type } = item.habit;
  const tick = { kind: "habit", id, day: today, date } as const;
  const button = (value: string, label: string) => html`<button class="plain" name="done" value="${value}"
      aria-label="${label}: ${sayDate(date, today)}">${label}</button>`;
  const did = type === "bad" ? "I avoided it" : "I did it";
  const buttons = isSkipped
    ? button("unskip", "Take the skip back")
    : isDone
      ? button("no", "Take back")
      : html`${button("yes", did)} ${amount > 0 ? button("no", "Set to 0") : button("skip", "Skip")}`;
  const adding =
    target !== null &&
    !isSkipped &&
    amountForm(visit, { id, day: today, date, unit, name: sayDate(date, today) });
  return html`${adding}<form method="post" action="/account/tick" data-stay>${tickFields(visit, tick)}
    ${buttons}</form>`;
}

const pitch = 14;

/** A dot for each day of this week, Monday to Sunday, filled where the habit was done. */
export function weekDots(doneDays: readonly string[], today: string): Html {
  const { monday } = weekOf(today);
  const days = weekdayNames.map((name, index) => ({ name, index, date: addDays(monday, index) }));
  const done = days.filter(({ date }) => doneDays.includes(date)).map(({ name }) => name);
  const words = done.length === 0 ? "Not done this week" : `Done this week: ${done.join(", ")}`;
  return html`<svg class="dots" viewBox="0 0 ${pitch * 7} ${pitch}" role="img" aria-label="${words}">${days.map(
    ({ date, index }) =>
      html`<circle class="${kindOf(date, doneDays, today)}" cx="${pitch * (index + 0.5)}" cy="7" r="4.5"/>`,
  )}</svg>`;
}

function kindOf(date: string, doneDays: readonly string[], today: string): string {
  if (doneDays.includes(date)) return "done";
  return date < today ? "past" : date === today ? "now" : "ahead";
}
