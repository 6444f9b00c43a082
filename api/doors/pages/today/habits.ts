import { type Html, html } from "../../../../shared/html.ts";
import type { DaySummary } from "../../../queries/dashboard/day.ts";
import { countInWords } from "../kit/dates.ts";
import { habitItem } from "../kit/habit-item.ts";
import type { Visit } from "../session/context.ts";

/** The habits due today, a line each. */
export function habitsOfDay(
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
