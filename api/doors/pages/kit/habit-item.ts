import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import type { Visit } from "../session/context.ts";
import { categoryTag } from "./category-tag.ts";
import { facts } from "./facts.ts";
import { endsToday, outlookInWords, streakUnit, weekInWords } from "./habit-words.ts";
import { rhythmInWords } from "./rhythm.ts";
import { tickButton } from "./tick-button.ts";
import { weekDots } from "./week.ts";

/** A habit in a list: ticked off or not, with its week and its streak. */
export function habitItem(visit: Visit, item: HabitInWeek, today: string): Html {
  const { id, name, type, is_completed_today: done, category } = item.habit;
  const verb = type === "bad" ? "Avoided today" : "Done today";
  const rhythm = rhythmInWords(rhythmOf(item.habit));
  return html`<li class="card item${done && " done"}" id="habit-${id}">
    ${tickButton(visit, { kind: "habit", id, day: today, done, label: `${done ? "Undo" : verb}: ${name}` })}
    <div class="what"><p class="name"><a href="/account/habits/${id}">${name}</a></p>
    ${facts([rhythm, type === "bad" ? "to avoid" : null, categoryTag(category)])}${week(item, today)}</div>
    ${streak(item)}</li>`;
}

function week(item: HabitInWeek, today: string): Html {
  const outlook = outlookInWords(item, today);
  const words = [
    weekInWords(item),
    outlook && (endsToday(item, today) ? html`<strong class="late">${outlook}</strong>` : outlook),
  ];
  return html`<div class="week">${weekDots(item.doneDays, today)} ${facts(words)}</div>`;
}

function streak({ habit }: HabitInWeek): Html {
  const { streak_count, longest_streak } = habit;
  const best = longest_streak > streak_count && html` · best ${longest_streak}`;
  return html`<p class="streak${streak_count > 0 && " alive"}"><strong>${streak_count}</strong>
    ${streakUnit(habit, streak_count)}<span class="unseen"> in the streak</span>${best}</p>`;
}
