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
  withoutPauseChange,
  withSkipChange,
} from "../../../workers/handlers/habit/streak-undo.ts";
import { type Habit, obey } from "./streak-habit.ts";
import type { Command } from "./streak-history.ts";
import { doneDays, type Free, type HabitEvent, passUntil } from "./streak-spec.ts";

/** The habit at one moment. */
type Moment = Readonly<{ rules: Rules; state: Habit["state"]; events: readonly HabitEvent[]; free: Free }>;

/** A change that can be undone. Its undo is a change of the same kind. */
type Change = Readonly<{
  what: "completed" | "undone" | "edited" | "paused" | "skipped";
  event: HabitEvent | undefined;
  before: Moment;
  after: Moment;
}>;

/** A life with all its changes, and every event that ever happened, in order. */
export type Life = { habit: Habit; ever: HabitEvent[]; changes: Change[] };

const momentOf = ({ rules, state, timeline }: Habit): Moment => ({
  rules,
  state,
  events: [...timeline.events],
  free: { ...timeline.free, paused: new Set(timeline.free.paused), skips: new Set(timeline.free.skips) },
});

const changed = {
  complete: "completed",
  undo: "undone",
  edit: "edited",
  pause: "paused",
  skip: "skipped",
  unskip: "skipped",
} as const;

/** Applies a command, and remembers it if it changed something. */
export function remember(life: Life, command: Command): void {
  const before = momentOf(life.habit);
  obey(life.habit, command);
  const after = momentOf(life.habit);
  if (!(command.kind in changed) || (after.state === before.state && after.rules === before.rules)) return;
  const added = after.events.find((event) => !before.events.includes(event));
  const removed = before.events.find((event) => !after.events.includes(event));
  if (added) life.ever.push(added);
  const what = changed[command.kind as keyof typeof changed];
  life.changes.push({ what, event: added ?? removed, before, after });
}

/** Undoes a change in the stored streak and in the timeline, or expects a refusal. */
export function takeBack(life: Life, change: Change): void {
  const { habit } = life;
  passUntil(habit.timeline, dayNumber(habit.today));
  const before = momentOf(habit);
  const takeBackOne = {
    completed: uncomplete,
    undone: completeAgain,
    edited: unedit,
    paused: unpause,
    skipped: unskip,
  }[change.what];
  if (!takeBackOne(life, change)) return;
  const what = (
    {
      completed: "undone",
      undone: "completed",
      edited: "edited",
      paused: "paused",
      skipped: "skipped",
    } as const
  )[change.what];
  life.changes.push({ what, event: change.event, before, after: momentOf(habit) });
}

function uncomplete({ habit }: Life, { event }: Change): boolean {
  if (!event || !habit.timeline.events.includes(event)) return false;
  const date = dateOfDay(event.on);
  const next = withoutCompletionOf(habit.state, habit.rules, date, habit.today);
  expect(next === "settled").toBe(date < firstChangeableDay(habit.state));
  expect(next).not.toBe("not_completed");
  if (typeof next === "string") return false;
  habit.state = next;
  habit.timeline.events = habit.timeline.events.filter((other) => other !== event);
  return true;
}

function completeAgain(life: Life, { event, before, after }: Change): boolean {
  const { habit } = life;
  if (!event) throw new Error("an undo removes an event");
  const date = dateOfDay(event.on);
  const images = { before: before.state.recent, after: after.state.recent };
  const next = restoredCompletion(habit.state, habit.rules, date, habit.today, images);
  const isSettled = date < firstChangeableDay(habit.state);
  expect(next === "settled").toBe(isSettled);
  expect(next === "already_completed").toBe(!isSettled && doneDays(habit.timeline).includes(event.on));
  if (typeof next === "string") return false;
  habit.state = next;
  habit.timeline.events = life.ever.filter((one) => one === event || habit.timeline.events.includes(one));
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
    const event = { on: dayNumber(habit.today), what: "edited", to: before.rules } as const;
    ever.push(event);
    habit.timeline.events.push(event);
  } else {
    const isThere = (event: HabitEvent) =>
      (event.what === "edited" ? before.events : habit.timeline.events).includes(event);
    habit.timeline.events = ever.filter(isThere);
  }
  return true;
}

/** From the first changeable day on, the pauses are those before the change. */
function unpause({ habit }: Life, { before }: Change): boolean {
  const { rules, state, timeline } = habit;
  const first = dayNumber(firstChangeableDay(state));
  habit.state = withoutPauseChange(state, rules, habit.today, before.state.free);
  const { paused, pausedFrom } = before.free;
  const settled = [...timeline.free.paused].filter((day) => day < first);
  for (let day = timeline.free.pausedFrom; day < first; day++) settled.push(day);
  timeline.free.paused = new Set([...settled, ...[...paused].filter((day) => day >= first)]);
  timeline.free.pausedFrom = Math.max(pausedFrom, first);
  return true;
}

/** Removes a skip that was made, and restores a removed one, unless its day changed since or is settled. */
function unskip({ habit }: Life, { before, after }: Change): boolean {
  const { rules, state, timeline } = habit;
  const [old, made] = [before.free.skips, after.free.skips];
  const added = [...old].filter((day) => !made.has(day));
  const removed = [...made].filter((day) => !old.has(day));
  const change = { added: added.map(dateOfDay), removed: removed.map(dateOfDay) };
  const next = withSkipChange(state, rules, habit.today, change);
  const first = dayNumber(firstChangeableDay(state));
  expect(next === "settled").toBe([...added, ...removed].some((day) => day < first));
  if (typeof next === "string") return false;
  habit.state = next;
  for (const day of added) timeline.free.skips.add(day);
  for (const day of removed) timeline.free.skips.delete(day);
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
