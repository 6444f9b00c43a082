import { sumOn } from "../../../../shared/contracts/habit/words.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { daysShown } from "../../../../shared/domain/habit/history.ts";
import { isPausedOn } from "../../../../shared/domain/habit/pause.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { DoneDays } from "../../../queries/habit/done-days.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { sayDate } from "../kit/dates.ts";
import { amountInWords } from "../kit/habit-words.ts";
import { amountForm } from "../kit/tick-button.ts";
import { tickFields } from "../kit/tick-fields.ts";
import type { Visit } from "../session/context.ts";

type Week = Readonly<{ today: string; done: DoneDays }>;

/** Buttons for today and the days before it, newest first. */
export function lastDays(visit: Visit, item: HabitInWeek, { today, done }: Week): Html {
  const dates = Array.from({ length: daysShown + 1 }, (_, ago) => addDays(today, -ago));
  const day = (date: string): Html => {
    const isDone = done.has(date);
    const isSkipped = item.habit.skipped_dates.includes(date);
    const amount = sumOn(item.habit, date) ?? 0;
    const counted = amountInWords(item.habit, amount);
    return html`<li class="card spread${isDone && " done"}" id="day-${date}">
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
