import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Clock } from "../../../queries/quick-add/forms/clock.ts";
import type { QuickHabit, QuickTodo } from "../../../queries/quick-add/quick-add.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { sayDue, sayTime, sayWallTime } from "../kit/dates.ts";
import { rhythmInWords } from "../kit/habit-words.ts";

type Chip = readonly [label: string, value: string | number | null];

/** One chip for each field that the line sets, besides its title. */
export function chips(quick: QuickTodo | QuickHabit, { today }: Clock): Html {
  const said = (quick.kind === "todo" ? ofTodo(quick, today) : ofHabit(quick)).filter(
    ([, value]) => value !== null,
  );
  if (said.length === 0)
    return html`<p class="quiet">Kept understood only a title. Fill in the rest below.</p>`;
  return html`<ul class="plain chips" aria-label="What was understood">${said.map(
    ([label, value]) => html`<li><span class="quiet">${label}</span> ${value}</li>`,
  )}</ul>`;
}

const ofTodo = (todo: QuickTodo, today: string): readonly Chip[] => [
  ["Due", sayDue(todo, today)],
  ["Remind me", todo.remind_at && sayWallTime(`${todo.remind_at}:00`, today)],
  ["Repeats", todo.recurrence && sayRepeat(todo.recurrence)],
  ["Counted", todo.recurrence_from === "completion" ? "from the day on which it is done" : null],
  ["Part of the day", todo.time_of_day],
  ["Takes", todo.estimated_minutes && `${todo.estimated_minutes} min`],
  ["Context", todo.context],
  ["Category", todo.category],
  ["Important", todo.is_important ? "yes" : null],
];

const ofHabit = (habit: QuickHabit): readonly Chip[] => [
  ["How often", rhythmInWords(rhythmOf({ ...habit, grace_days: 0 }))],
  ["Part of the day", habit.time_of_day],
  ["Remind me at", habit.remind_at && sayTime(habit.remind_at)],
  ["A habit", habit.type === "bad" ? "to avoid" : null],
  ["Category", habit.category],
];
