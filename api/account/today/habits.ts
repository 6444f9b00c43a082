import type { Static } from "typebox";
import type { Habit } from "../../../shared/contracts/habit-schema.ts";
import { rhythmOf } from "../../../shared/domain/rhythm.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Visit } from "../visit/context.ts";
import { categoryTag } from "./category-tag.ts";
import { facts } from "./facts.ts";
import { rhythmInWords } from "./rhythm.ts";
import { tickButton } from "./tick-button.ts";

type HabitItem = Static<typeof Habit>;

/** The habits due today, grouped by time of day. */
export function habitList(visit: Visit, habits: readonly HabitItem[], today: string): Html {
  if (habits.length === 0) return html`<p class="quiet">No habit is due today.</p>`;
  const parts = ["morning", "afternoon", "evening", null] as const;
  return html`${parts.map((part) => {
    const due = habits.filter((habit) => habit.time_of_day === part);
    const heading = part ?? (due.length < habits.length ? "any time" : null);
    return (
      due.length > 0 &&
      html`${heading && html`<h3 class="part">${heading}</h3>`}
        <ul class="plain">${due.map((habit) => habitItem(visit, habit, today))}</ul>`
    );
  })}`;
}

function habitItem(visit: Visit, habit: HabitItem, day: string): Html {
  const { id, name, type, is_completed_today: done, category } = habit;
  const verb = type === "bad" ? "Avoided today" : "Done today";
  return html`<li class="card item${done && " done"}" id="habit-${id}">
    ${tickButton(visit, { kind: "habit", id, day, done, label: `${done ? "Undo" : verb}: ${name}` })}
    <div class="what"><h4>${name}</h4>
    ${facts([rhythmInWords(rhythmOf(habit)), type === "bad" ? "to avoid" : null, categoryTag(category)])}</div>
    ${streak(habit)}</li>`;
}

/** The streak, in weeks for habits that are due so many times a week, else in days. */
function streak(habit: HabitItem): Html {
  const { streak_count, longest_streak } = habit;
  const isWeekly = "times" in rhythmOf(habit);
  const unit = `${isWeekly ? "week" : "day"}${streak_count === 1 ? "" : "s"}`;
  const best = longest_streak > streak_count && html` · best ${longest_streak}`;
  return html`<p class="streak${streak_count > 0 && " alive"}"><strong>${streak_count}</strong>
    ${unit}<span class="unseen"> in the streak</span>${best}</p>`;
}
