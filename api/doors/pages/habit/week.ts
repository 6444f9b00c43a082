import { addDays } from "../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { weekOf } from "../../../queries/habit/week-progress.ts";

const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const pitch = 14;

/** A dot for each day of this week, Monday to Sunday, filled where the habit was done. */
export function weekDots(doneDays: readonly string[], today: string): Html {
  const { monday } = weekOf(today);
  const days = names.map((name, index) => ({ name, index, date: addDays(monday, index) }));
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
