import { isPausedOn } from "../../../../shared/domain/habit/pause.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import type { Visit } from "../session/context.ts";
import { tickFields } from "./tick-fields.ts";

type Choice = readonly [answer: string, label: string];

/** The rarer acts on a habit in a list, folded. They name their day, so a late press means the day that was shown. */
export function habitMore(visit: Visit, item: HabitInWeek, today: string): Html {
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
