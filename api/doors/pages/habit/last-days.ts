import { addDays } from "../../../../shared/domain/day/day.ts";
import { daysBack } from "../../../../shared/domain/habit/streak.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { DoneDays } from "../../../queries/habit/done-days.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { sayDate } from "../kit/dates.ts";
import { tickFields } from "../kit/tick-fields.ts";
import type { Visit } from "../session/context.ts";

type Shown = Readonly<{ today: string; done: DoneDays }>;

/** Buttons for today and the earlier days that can still be completed or undone, newest first. */
export function lastDays(visit: Visit, item: HabitInWeek, { today, done }: Shown): Html {
  const dates = Array.from({ length: daysBack + 1 }, (_, ago) => addDays(today, -ago));
  const day = (date: string): Html => {
    const isDone = done.has(date);
    const mayChange = date >= item.changeableFrom;
    return html`<li class="card spread${isDone && " done"}" id="day-${date}">
      <p><strong>${sayDate(date, today)}</strong> <span class="quiet">${wordFor(item, isDone, date === today)}</span></p>
      ${mayChange ? dayForm(visit, item, { date, isDone, today }) : html`<p class="quiet small">Cannot change any more</p>`}</li>`;
  };
  return html`<ul class="plain days" id="habit-${item.habit.id}">${dates.map(day)}</ul>`;
}

function wordFor({ habit }: HabitInWeek, isDone: boolean, isToday: boolean): string {
  if (isToday && !isDone) return "not yet";
  if (habit.type === "bad") return isDone ? "avoided" : "not avoided";
  return isDone ? "done" : "not done";
}

type Day = Readonly<{ date: string; isDone: boolean; today: string }>;

function dayForm(visit: Visit, item: HabitInWeek, { date, isDone, today }: Day): Html {
  const label = isDone ? "Take back" : item.habit.type === "bad" ? "I avoided it" : "I did it";
  const tick = { kind: "habit", id: item.habit.id, day: today, date } as const;
  return html`<form method="post" action="/account/tick" data-stay>${tickFields(visit, tick)}
    <button class="plain" name="done" value="${isDone ? "no" : "yes"}"
      aria-label="${label}: ${sayDate(date, today)}">${label}</button></form>`;
}
