import { expect } from "bun:test";
import { dateOfDay, dayNumber } from "../../../shared/domain/day/day.ts";
import { editsOf } from "../../../shared/domain/habit/recent-events.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { firstChangeableDay } from "../../../shared/domain/habit/streak.ts";
import {
  restoredCompletion,
  withoutCompletionOf,
  withoutEdit,
} from "../../../workers/handlers/habit/streak-undo.ts";
import { type Habit, obey } from "./streak-habit.ts";
import type { Command } from "./streak-history.ts";
import { type Deed, doneDays, passUntil } from "./streak-spec.ts";

/** The habit at one moment. */
type Moment = Readonly<{ rules: Rules; state: Habit["state"]; deeds: readonly Deed[] }>;

/** A change that can be undone. Its undo is a change of the same kind. */
type Change = Readonly<{
  what: "completed" | "undone" | "edited";
  deed: Deed | undefined;
  before: Moment;
  after: Moment;
}>;

/** A life whose changes are all remembered, and every deed that ever was, in the order in which they happened. */
export type Life = { habit: Habit; ever: Deed[]; changes: Change[] };

const momentOf = ({ rules, state, diary }: Habit): Moment => ({ rules, state, deeds: [...diary.deeds] });

/** Obeys a command, and remembers it if it changed something. */
export function remember(life: Life, command: Command): void {
  const before = momentOf(life.habit);
  obey(life.habit, command);
  const after = momentOf(life.habit);
  if (command.kind === "move" || (after.state === before.state && after.rules === before.rules)) return;
  const added = after.deeds.find((deed) => !before.deeds.includes(deed));
  const removed = before.deeds.find((deed) => !after.deeds.includes(deed));
  if (added) life.ever.push(added);
  const what = ({ complete: "completed", undo: "undone", edit: "edited" } as const)[command.kind];
  life.changes.push({ what, deed: added ?? removed, before, after });
}

/** Takes a change back in the stored streak and in the diary, or expects that it is refused. */
export function takeBack(life: Life, change: Change): void {
  const { habit } = life;
  passUntil(habit.diary, dayNumber(habit.today));
  const before = momentOf(habit);
  const takeBackOne = { completed: uncomplete, undone: completeAgain, edited: unedit }[change.what];
  if (!takeBackOne(life, change)) return;
  const what = ({ completed: "undone", undone: "completed", edited: "edited" } as const)[change.what];
  life.changes.push({ what, deed: change.deed, before, after: momentOf(habit) });
}

function uncomplete({ habit }: Life, { deed }: Change): boolean {
  if (!deed || !habit.diary.deeds.includes(deed)) return false;
  const date = dateOfDay(deed.on);
  const next = withoutCompletionOf(habit.state, habit.rules, date, habit.today);
  expect(next === "settled").toBe(date < firstChangeableDay(habit.state));
  expect(next).not.toBe("not_completed");
  if (typeof next === "string") return false;
  habit.state = next;
  habit.diary.deeds = habit.diary.deeds.filter((other) => other !== deed);
  return true;
}

function completeAgain(life: Life, { deed, before, after }: Change): boolean {
  const { habit } = life;
  if (!deed) throw new Error("an undo removes a deed");
  const date = dateOfDay(deed.on);
  const images = { before: before.state.recent, after: after.state.recent };
  const next = restoredCompletion(habit.state, habit.rules, date, habit.today, images);
  const isSettled = date < firstChangeableDay(habit.state);
  expect(next === "settled").toBe(isSettled);
  expect(next === "already_completed").toBe(!isSettled && doneDays(habit.diary).includes(deed.on));
  if (typeof next === "string") return false;
  habit.state = next;
  habit.diary.deeds = life.ever.filter((one) => one === deed || habit.diary.deeds.includes(one));
  return true;
}

function unedit(life: Life, change: Change): boolean {
  const { before, after } = change;
  const { habit, ever } = life;
  const { rules, state } = habit;
  if (JSON.stringify(rules) !== JSON.stringify(after.rules)) return false;
  const images = { before: before.state.recent, after: after.state.recent };
  habit.state = withoutEdit(state, rules, before.rules, habit.today, images);
  habit.rules = before.rules;
  if (sameDemand(rules, before.rules)) return true;
  if (isEditSettled(state, change)) {
    const deed = { on: dayNumber(habit.today), what: "edited", to: before.rules } as const;
    ever.push(deed);
    habit.diary.deeds.push(deed);
  } else {
    const isThere = (deed: Deed) =>
      (deed.what === "edited" ? before.deeds : habit.diary.deeds).includes(deed);
    habit.diary.deeds = ever.filter(isThere);
  }
  return true;
}

/** True if the edit, or the one merged with it, is already settled in the stored streak. */
function isEditSettled(state: Habit["state"], { before, after }: Change): boolean {
  const edits = [before, after].flatMap((moment) => editsOf(moment.state.recent));
  const edit = edits.toSorted((a, b) => a.n - b.n).at(-1);
  if (!edit) return true;
  const isStored = editsOf(state.recent).some(({ n }) => n === edit.n);
  return !isStored && dateOfDay(edit.day) < firstChangeableDay(state);
}
