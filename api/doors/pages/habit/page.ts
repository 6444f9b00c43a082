import { sumOn } from "../../../../shared/contracts/habit/fields.ts";
import { listHabits } from "../../../../shared/contracts/habit/queries.ts";
import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import {
  addDays,
  dateOfDay,
  dayNumber,
  daysBetween,
  isoWeekday,
  localDay,
  type Today,
} from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { datesIn, isPausedOn, spansOf } from "../../../../shared/domain/habit/free-days.ts";
import { daysBack, daysShown } from "../../../../shared/domain/habit/history.ts";
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
} from "../../../queries/habit/week.ts";
import { icon } from "../../../web/icons.ts";
import { locale } from "../../../web/locale.ts";
import { notFoundPage } from "../../../web/router.ts";
import { authorship } from "../action/words.ts";
import { amountForm, habitItem, habitMore, tickButton, tickFields } from "../kit/items.ts";
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
import { linked } from "../kit/notes.ts";
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
  if (habits.length === 0)
    return html`<div class="empty"><p>No habits yet.</p><a class="button" href="${path}/new">Make your first habit</a></div>`;
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

/** GET /account/habits/:id?day=…: one habit with its streak, week and year, and a form for any day of the last year. */
export async function showHabit(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const mark = await liveMark(visit);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const found = await query.inTurn((own) => readHabitInYear(own, pathId(url), firstCalendarDay));
  if (found && isRefused(found)) return found;
  if (!found) return notFoundPage(context.site);
  const { item, today, done, notes } = found;
  const { habit } = item;
  const noteOn = new Map(notes.map(({ date, note }) => [date, note]));
  const first = firstCalendarDay(today.date);
  const lead = html`<div id="lead" data-part>${introduction(visit, found)}</div>`;
  const body = html`${mark}
    <div id="habit" data-part>${tiles(found)}${lastDays(visit, found)}
    <div class="card">${yearPicture({
      title: html`The year <span class="count">${countInWords(done.size, "day")} since ${sayDated(first, today.date, locale())} ·
        ${rateIn(90, item, found)} of 90 days, ${rateIn(365, item, found)} of 365</span>`,
      today: today.date,
      done,
      free: datesIn(spansOf(item.free), first, today.date),
      since: localDay(Date.parse(habit.created_at), today.timeZone, 0),
      sayDone: (times, date) =>
        [times > 0 ? "done" : "not done", noteOn.get(date)].filter(Boolean).join(". "),
      linkTo: (date) => `${url.pathname}?day=${date}#day`,
    })}
    ${anyDay(visit, found)}</div>
    <div class="card">${byWeekday(done)}</div>
    ${bestStreaks(found)}
    ${
      notes.length > 0 &&
      html`<h2>Notes</h2>
    <ul class="plain" id="notes">${notes.map(
      ({ date, note }) =>
        html`<li class="card"><p><strong>${sayDate(date, today.date)}</strong></p>
        <p class="description" dir="auto">${note}</p></li>`,
    )}</ul>`
    }${await authorship(query, "habit", habit.id)}</div>`;
  return accountPage(visit, { title: habit.name, lead, body, scripts: liveScripts });
}

function introduction(visit: Visit, { item, today }: HabitInYear): Html {
  const { habit } = item;
  const { id, type, time_of_day, remind_at, category, description } = habit;
  const rhythm = drawn("habits", rhythmInWords(rhythmOf(habit)));
  const reminder = remind_at && drawn("bell", sayTime(remind_at));
  return html`<div class="lead"><div class="spread">${facts([rhythm, time_of_day, reminder, type === "bad" ? "to avoid" : null, categoryTag(category)])}
    <div class="actions"><a class="button plain" href="${path}/${id}/edit">Edit</a>${habitMore(visit, item, today.date)}</div></div>
    ${description && html`<p class="description" dir="auto">${linked(description)}</p>`}</div>`;
}

function tiles({ item, today, done }: HabitInYear): Html {
  const { habit } = item;
  const outlook = outlookInWords(item, today.date);
  const pause = pauseInWords(item, today.date);
  const state = [pause && sentence(pause), outlook && sentence(outlook)].filter(Boolean).join(" ");
  return html`<ul class="plain tiles">
    <li class="card tile"><span class="mark warn">${icon("flame")}</span><div><strong>${habit.streak_count}</strong>
    ${streakUnit(habit, 1)} streak<p>${state || "No streak yet."}</p></div></li>
    ${tile(habit.longest_streak, "best streak")}
    ${tile(habit.completions_count, habit.completions_count === 1 ? "time done" : "times done")}
    ${tile(rateIn(30, item, { today, done }), "of the last 30 days")}</ul>`;
}

/** The share of the days asked for, in percent, on which the habit was done since it was made. */
function rateIn(
  days: number,
  { habit, target, free }: HabitInWeek,
  { today, done }: Pick<HabitInYear, "today" | "done">,
): string {
  const made = localDay(Date.parse(habit.created_at), today.timeZone, 0);
  const earliest = [...done.keys()].reduce((least, date) => (date < least ? date : least), made);
  const start = addDays(today.date, 1 - days);
  const from = earliest > start ? earliest : start;
  const count = [...done.keys()].filter((date) => date >= from).length;
  const rhythm = rhythmOf(habit);
  const perDay = "every" in rhythm ? 1 / rhythm.every : (target ?? 7) / 7;
  const passed = daysBetween(from, today.date) + (done.has(today.date) ? 1 : 0);
  const asked = Math.max(1, (passed - datesIn(spansOf(free), from, today.date).size) * perDay);
  return `${Math.min(100, Math.round((100 * count) / asked))}\u00a0%`;
}

/** The longest streaks of all time. */
function bestStreaks({ item: { habit }, streaks, today }: HabitInYear): Html | false {
  const best = streaks.filter(({ count }) => count > 1).toSorted((a, b) => b.count - a.count);
  const say = (day: number) => sayDated(dateOfDay(day), today.date, locale());
  return (
    best.length > 0 &&
    html`<section class="card"><h2>Best streaks</h2><ul class="plain">${best.slice(0, mostStreaks).map(
      ({ from, through, count }) =>
        html`<li class="spread"><span><strong>${count}</strong> ${streakUnit(habit, count)}</span>
        <span class="quiet small">${say(from)} to ${say(through)}</span></li>`,
    )}</ul></section>`
  );
}

const mostStreaks = 5;

/** A bar for each weekday of the last year. */
function byWeekday(done: DoneDays): Html {
  const counts = weekdayNames.map(
    (_, index) => [...done.keys()].filter((date) => isoWeekday(dayNumber(date)) === index + 1).length,
  );
  const most = Math.max(1, ...counts);
  const bar = (count: number, index: number) => {
    const height = Math.max(2, Math.round((60 * count) / most));
    return html`<rect x="${index * 45 + 10}" y="${74 - height}" width="24" height="${height}" rx="4"/>
      <text x="${index * 45 + 22}" y="${70 - height}">${count > 0 && count}</text><text x="${index * 45 + 22}" y="88">${weekdayNames[index]}</text>`;
  };
  const words = weekdayNames.map((name, index) => `${name} ${counts[index]}`).join(", ");
  return html`<figure class="bars"><figcaption>By weekday</figcaption>
    <svg viewBox="0 0 316 92" role="img" aria-label="${words}">${counts.map(bar)}</svg></figure>`;
}

const sentence = (words: string): string => `${capitalized(words)}.`;

const tile = (number: number | string, label: string): Html => html`<li class="card tile"><div>
  <strong>${number}</strong><p>${label}</p></div></li>`;

/** A circle for each of the last seven days. */
function lastDays(visit: Visit, { item, today: { date: today }, done }: HabitInYear): Html {
  const { id, name, type, skipped_dates } = item.habit;
  const dates = Array.from({ length: daysShown }, (_, index) => addDays(today, index + 1 - daysShown));
  const did = type === "bad" ? "Avoided" : "Done";
  const day = (date: string): Html => {
    const isDone = done.has(date);
    const isSkipped = skipped_dates.includes(date);
    const said = sayDate(date, today);
    const labels = [`${did}, ${said}: ${name}`, `Undo, ${said}: ${name}`] as const;
    const button = tickButton(visit, {
      kind: "habit",
      id,
      day: today,
      date,
      done: isDone,
      labels,
      category: null,
    });
    return html`<li id="day-${date}" class="${isDone && "done"}${date === today && " now"}">${isSkipped ? html`<span class="tick" role="img" aria-label="Skipped, ${said}">–</span>` : button}
      <a href="${visit.url.pathname}?day=${date}#day">${date === today ? "Today" : `${weekdayNames[isoWeekday(dayNumber(date)) - 1]} ${Number(date.slice(8))}`}</a></li>`;
  };
  const week = weekInWords(item);
  return html`<section class="card"><h2>The last seven days
    <span class="count">${dates.filter((date) => done.has(date)).length} of ${daysShown}${week && html` · ${week}`}</span></h2>
    <ul class="plain days" id="habit-${id}">${dates.map(day)}</ul></section>`;
}

/** The form of one day, and a field to choose another. */
function anyDay(visit: Visit, found: HabitInYear): Html {
  const { date: today } = found.today;
  const chosen = visit.url.searchParams.get("day") ?? "";
  const isKnown = isCalendarDate(chosen) && chosen <= today && chosen >= addDays(today, -daysBack);
  return html`<div id="day">${isKnown && dayForm(visit, found, chosen)}</div>
    <form method="get" action="${visit.url.pathname}#day" class="actions"><label for="any-day">Another day</label>
    <input type="date" id="any-day" name="day" value="${isKnown && chosen}" min="${addDays(today, -daysBack)}" max="${today}" required>
    <button class="plain">Show</button></form>`;
}

/** A day's ticks, and the form that changes them. */
function dayForm(
  visit: Visit,
  { item, today: { date: today }, done, notes }: HabitInYear,
  date: string,
): Html {
  const { habit } = item;
  const { id, unit, target, type } = habit;
  const isDone = done.has(date);
  const isSkipped = habit.skipped_dates.includes(date);
  const amount = sumOn(habit, date) ?? 0;
  const note = notes.find((one) => one.date === date)?.note ?? "";
  const button = (value: string, label: string) => html`<button class="plain" name="done" value="${value}"
      aria-label="${label}: ${sayDate(date, today)}">${label}</button>`;
  const did = isDone ? "Save the note" : type === "bad" ? "I avoided it" : "I did it";
  const counted = amountInWords(habit, amount);
  return html`<h3 class="part">${sayDate(date, today)} <span class="count">${isSkipped ? "skipped" : wordFor(item, { date, isDone, today })}${counted && `, ${counted}`}</span></h3>
    ${target !== null && !isSkipped && amountForm(visit, { id, day: today, date, unit, name: sayDate(date, today) })}
    <form method="post" action="/account/tick" data-stay>${tickFields(visit, { kind: "habit", id, day: today, date })}
    ${!isSkipped && html`<label class="unseen" for="note">Note</label><input id="note" name="note" value="${note}" placeholder="A note on this day" maxlength="500" dir="auto" autocomplete="off">`}
    <div class="actions">${isSkipped ? button("unskip", "Undo the skip") : html`${button("yes", did)} ${isDone || amount > 0 ? button("no", amount > 0 ? "Set to 0" : "Undo") : button("skip", "Skip")}`}</div></form>`;
}

type Day = Readonly<{ date: string; isDone: boolean; today: string }>;

function wordFor({ habit }: HabitInWeek, { date, isDone, today }: Day): string {
  if (!isDone && isPausedOn(habit, date)) return "paused";
  if (date === today && !isDone) return "not yet";
  if (habit.type === "bad") return isDone ? "avoided" : "not avoided";
  return isDone ? "done" : "not done";
}
