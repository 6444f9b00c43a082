import type { Static } from "typebox";
import type { Habit } from "../../../../shared/contracts/habit/fields.ts";
import { dateOfDay, dayNumber, localTime, weekStart } from "../../../../shared/domain/day/day.ts";
import { sayClock, sayDated, sayUntil } from "../../../../shared/domain/day/say-date.ts";
import { isPausedOn } from "../../../../shared/domain/habit/free-days.ts";
import { type Rhythm, rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { type IconName, icon } from "../../../web/icons.ts";
import { locale } from "../../../web/locale.ts";

/** A date as people say it on the given day: `Today`, `Tomorrow`, `Mon 23 Nov`, `Fri 1 Jan 2027`. */
export function sayDate(date: string, today: string): string {
  const near = { [-1]: "Yesterday", 0: "Today", 1: "Tomorrow" }[dayNumber(date) - dayNumber(today)];
  if (near !== undefined) return near;
  return sayDated(date, today, locale());
}

/** The Monday after a day. */
export const nextWeek = (today: string): string => dateOfDay(weekStart(dayNumber(today)) + 7);

/** A due date with its time if it has one: `Tomorrow 14:30`. */
export function sayDue(due: Readonly<{ due_date: string | null; due_time: string | null }>, today: string) {
  if (due.due_date === null) return null;
  const date = sayDate(due.due_date, today);
  return due.due_time === null ? date : `${date} ${sayTime(due.due_time)}`;
}

/** A wall time such as `2026-11-23T09:00:00`, as `Mon 23 Nov 09:00`; seconds only if they are not zero. */
export const sayWallTime = (wallTime: string, today: string): string =>
  `${sayDated(wallTime.slice(0, 10), today, locale())} ${sayTime(wallTime.slice(11, 19).replace(/:00$/, ""))}`;

/** A time of day as the browser's language writes it. */
export const sayTime = (time: string): string => sayClock(time, locale());

/** The date of an instant (RFC 3339) in a zone, as people say it on the given day. */
export const sayDay = (instant: string, timeZone: string, today: string): string =>
  sayDate(localTime(Date.parse(instant), timeZone).slice(0, 10), today);

export const capitalized = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** `1 habit`, `2 habits`, `2 categories`. */
export const countInWords = (number: number, noun: string): string =>
  `${number} ${number === 1 ? noun : `${noun.replace(/(?<![aeiou])y$/, "ie")}s`}`;

/** An instant (RFC 3339) in a zone: `Mon 23 Nov 09:00`. */
export function sayInstant(instant: string, timeZone: string): Html {
  const minute = localTime(Date.parse(instant), timeZone).slice(0, 16);
  const today = localTime(Date.now(), timeZone).slice(0, 10);
  return html`<time datetime="${instant}">${sayWallTime(`${minute}:00`, today)}</time>`;
}

type HabitItem = Static<typeof Habit>;

/** The unit of a streak: weeks for a habit with a number of times a week, else days. */
export function streakUnit(habit: HabitItem, count: number): string {
  const unit = "times" in rhythmOf(habit) ? "week" : "day";
  return count === 1 ? unit : `${unit}s`;
}

/** `2 of 3 this week`; null for a habit without a number of times a week. */
export const weekInWords = ({ doneDays, target }: HabitInWeek): string | null =>
  target === undefined ? null : `${doneDays.length} of ${target} this week`;

/** True if the streak ends tomorrow unless the habit is done today. */
export const endsToday = ({ habit }: HabitInWeek, today: string): boolean =>
  habit.streak_alive_through === today && !habit.is_completed_today;

/** A pause without an end is the archive. */
export const isArchived = ({ habit }: HabitInWeek, today: string): boolean =>
  isPausedOn(habit, today) && habit.paused_through === null;

/** `paused until Sunday` or `skipped today` on a free day, else null. */
export function pauseInWords({ habit }: HabitInWeek, today: string): string | null {
  if (habit.skipped_dates.includes(today)) return "skipped today";
  if (!isPausedOn(habit, today)) return null;
  return habit.paused_through === null
    ? "archived"
    : `paused until ${sayUntil(habit.paused_through, today, locale())}`;
}

/** The last day of the streak if nothing more is done, and the misses it still forgives; null without a streak. */
export function outlookInWords(item: HabitInWeek, today: string): string | null {
  const { habit, graceLeft } = item;
  const { streak_alive_through: end, type } = habit;
  if (end === null || habit.streak_count === 0) return null;
  if (endsToday(item, today)) return `ends today unless ${type === "bad" ? "avoided" : "done"}`;
  const grace = graceLeft > 0 ? `, ${countInWords(graceLeft, "grace day")} left` : "";
  return `alive until ${sayUntil(end, today, locale())}${grace}`;
}

/** `6 of 8 glasses`; null for a habit that is ticked off. */
export const amountInWords = ({ target, unit }: HabitItem, amount: number): string | null =>
  target === null
    ? null
    : `${amount.toLocaleString("en")} of ${target.toLocaleString("en")}${unit === null ? "" : ` ${unit}`}`;

export const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export function rhythmInWords(rhythm: Rhythm): string {
  if ("weekdays" in rhythm) return rhythm.weekdays.map((day) => weekdayNames[day - 1]).join(", ");
  if ("every" in rhythm) return rhythm.every === 1 ? "Daily" : `Every ${rhythm.every} days`;
  return rhythm.times === 1 ? "Weekly" : `${rhythm.times} times a week`;
}

/** A fact behind the drawing of its kind. */
export const drawn = (name: IconName, fact: string): Html => html`${icon(name)}${fact}`;

/** Small facts about an item in one line; null ones are left out. */
export function facts(list: readonly (Html | string | number | null)[]): Html {
  const known = list.filter((fact) => fact !== null);
  // The separators are text, so that copied text contains them.
  return html`<p class="quiet small line">${known.map((fact, index) => html`${index > 0 && html`<span class="unseen sep"> · </span>`}<span>${fact}</span>`)}</p>`;
}

/** A category's name after a dot in its colour. */
export function categoryTag(category: { name: string; color: string } | null): Html | null {
  return (
    category &&
    html`<span class="category"><svg viewBox="0 0 10 10" aria-hidden="true"><circle
      cx="5" cy="5" r="5" fill="${category.color}"/></svg><bdi>${category.name}</bdi></span>`
  );
}
