import { addDays, dayNumber, isoWeekday } from "../../../../shared/domain/day/day.ts";
import { isPausedOn } from "../../../../shared/domain/habit/free-days.ts";
import { daysShown } from "../../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import type { Visit } from "../session/context.ts";
import { sayDate, sayTime } from "./dates.ts";
import { categoryTag, facts } from "./facts.ts";
import {
  amountInWords,
  endsToday,
  outlookInWords,
  pauseInWords,
  rhythmInWords,
  streakUnit,
  weekInWords,
} from "./habit-words.ts";
import { amountForm, tickButton, tickFields, tickFormId } from "./tick-button.ts";

/** A habit in a list: ticked off or not, with its streak and the days before, which can be ticked as well. */
export function habitItem(visit: Visit, item: HabitInWeek, today: string): Html {
  const { id, name, type, is_completed_today: done, target, unit } = item.habit;
  const [isNot, isDone] = [`${type === "bad" ? "Avoided" : "Done"} today: ${name}`, `Undo: ${name}`];
  return html`<li class="card item${done && " done"}" id="habit-${id}">
    ${tickButton(visit, { kind: "habit", id, day: today, done, labels: [isNot, isDone] })}
    <div class="what"><p class="name"><a href="/account/habits/${id}">${name}</a></p>
    ${facts(known(item, today))}
    ${target !== null && html`<div class="counted">${amountForm(visit, { id, day: today, name, unit })}</div>`}</div>
    ${dayCells(item, today)}
    ${streak(item)}${habitMore(visit, item, today)}</li>`;
}

function known(item: HabitInWeek, today: string) {
  const { habit } = item;
  const outlook = outlookInWords(item, today);
  return [
    outlook && (endsToday(item, today) ? html`<strong class="late">${outlook}</strong>` : null),
    habit.target === null ? null : amountInWords(habit, habit.amount_today ?? 0),
    pauseInWords(item, today),
    weekInWords(item) ?? rhythmInWords(rhythmOf(habit)),
    habit.type === "bad" ? "to avoid" : null,
    habit.time_of_day,
    habit.remind_at && `reminds at ${sayTime(habit.remind_at)}`,
    categoryTag(habit.category),
    endsToday(item, today) ? null : outlook,
  ];
}

function streak({ habit }: HabitInWeek): Html {
  const { streak_count, longest_streak } = habit;
  const best = longest_streak > streak_count && html` · best ${longest_streak}`;
  return html`<p class="streak${streak_count > 0 && " alive"}"><strong>${streak_count}</strong>
    <span class="unit">${streakUnit(habit, streak_count)}<span class="unseen"> in the streak</span>${best}</span></p>`;
}

const letters = ["M", "T", "W", "T", "F", "S", "S"];

/** The days before today, the latest last: buttons of the habit's own tick form. */
function dayCells({ habit, periodDays = [] }: HabitInWeek, today: string): Html {
  const cells = Array.from({ length: daysShown }, (_, index) => addDays(today, index - daysShown)).map(
    (date) => {
      const isDone = periodDays.includes(date);
      const isSkipped = habit.skipped_dates.includes(date);
      const kind = isDone ? "done" : isSkipped ? "skipped" : "open";
      const letter = letters[isoWeekday(dayNumber(date)) - 1];
      const words = `${sayDate(date, today)}, ${kind === "open" ? "not done" : kind}: ${habit.name}`;
      if (isSkipped)
        return html`<span class="cell ${kind} fixed" role="img" aria-label="${words}">${letter}</span>`;
      return html`<button class="cell ${kind}" form="${tickFormId({ kind: "habit", id: habit.id })}" name="on"
      value="${date} ${isDone ? "no" : "yes"}" aria-label="${words}">${letter}</button>`;
    },
  );
  return html`<div class="cells">${cells}</div>`;
}

type Choice = readonly [answer: string, label: string];

/** The rarer acts on a habit in a list, folded. They name their day, so a late press means the day that was shown. */
function habitMore(visit: Visit, item: HabitInWeek, today: string): Html {
  const { id, name } = item.habit;
  const buttons = choicesOf(item, today).map(
    ([answer, label]) => html`<button class="plain" name="done" value="${answer}">${label}</button>`,
  );
  return html`<details class="more" name="more"><summary aria-label="More: ${name}">⋯</summary>
    <form method="post" action="/account/tick" class="card" data-stay>${tickFields(visit, { kind: "habit", id, day: today, date: today })}
    ${buttons}<a href="/account/habits/${id}/edit">Edit</a></form></details>`;
}

function choicesOf({ habit, isDue }: HabitInWeek, today: string): readonly Choice[] {
  if (isPausedOn(habit, today))
    return [[habit.paused_from === today ? "unpause" : "resume", "Bring it back"]];
  const isWeekly = "times" in rhythmOf(habit);
  const skip: readonly Choice[] = habit.skipped_dates.includes(today)
    ? [["unskip", "Take the skip back"]]
    : isDue && !habit.is_completed_today
      ? [["skip", isWeekly ? "Skip this week" : "Skip today"]]
      : [];
  return [...skip, ["pause", "Pause for a week"], ["archive", "Archive"]];
}
