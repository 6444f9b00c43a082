import { addDays, dayNumber, isoWeekday } from "../../../../shared/domain/day/day.ts";
import { daysBack } from "../../../../shared/domain/habit/streak.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { sayDate } from "./dates.ts";
import { tickFormId } from "./tick-button.ts";

const letters = ["M", "T", "W", "T", "F", "S", "S"];

/** The days before today, the latest last: buttons of the habit's own tick form. */
export function dayCells({ habit, periodDays = [], changeableFrom }: HabitInWeek, today: string): Html {
  const cells = Array.from({ length: daysBack }, (_, index) => addDays(today, index - daysBack)).map(
    (date) => {
      const isDone = periodDays.includes(date);
      const isSkipped = habit.skipped_dates.includes(date);
      const kind = isDone ? "done" : isSkipped ? "skipped" : "open";
      const letter = letters[isoWeekday(dayNumber(date)) - 1];
      const words = `${sayDate(date, today)}, ${kind === "open" ? "not done" : kind}: ${habit.name}`;
      if (isSkipped || date < changeableFrom)
        return html`<span class="cell ${kind} fixed" role="img" aria-label="${words}">${letter}</span>`;
      return html`<button class="cell ${kind}" form="${tickFormId({ kind: "habit", id: habit.id })}" name="on"
      value="${date} ${isDone ? "no" : "yes"}" aria-label="${words}">${letter}</button>`;
    },
  );
  return html`<div class="cells">${cells}</div>`;
}
