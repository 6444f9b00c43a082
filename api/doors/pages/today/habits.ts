import { type Html, html } from "../../../../shared/html.ts";
import type { DaySummary } from "../../../queries/dashboard/day.ts";
import { habitItem } from "../kit/habit-item.ts";
import type { Visit } from "../session/context.ts";

/** The habits due today, grouped by time of day. */
export function habitsOfDay(visit: Visit, { due, today }: Pick<DaySummary, "due" | "today">): Html {
  const { habits, total } = due;
  if (habits.length === 0) return html`<p class="quiet">No habit is due today.</p>`;
  const parts = ["morning", "afternoon", "evening", null] as const;
  const more = total > habits.length && html`<p class="quiet">And ${total - habits.length} more.</p>`;
  return html`${parts.map((part) => {
    const own = habits.filter(({ habit }) => habit.time_of_day === part);
    const heading = part ?? (own.length < habits.length ? "any time" : null);
    return (
      own.length > 0 &&
      html`${heading && html`<h3 class="part">${heading}</h3>`}
        <ul class="plain">${own.map((item) => habitItem(visit, item, today.date))}</ul>`
    );
  })}${more}`;
}
