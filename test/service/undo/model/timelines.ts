import type { ActionOutput } from "../../../../shared/contracts/group/contracts.ts";
import { dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import type { Rules } from "../../../../shared/domain/habit/rhythm.ts";
import { sameDemand } from "../../../../shared/domain/habit/rhythm.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { expectedColumns } from "../../../support/streak/streak-habit.ts";
import {
  emptyTimeline,
  type HabitEvent,
  jumpTo,
  passUntil,
  type Timeline,
} from "../../../support/streak/streak-spec.ts";
import { type Row, todayIn } from "./inputs.ts";
import { type Done, type End, endsOf, type History, keyOf, type Moment } from "./world.ts";

/** An action's change of a habit's history, so that it can be removed again. */
type Change =
  | Readonly<{ what: "completed" | "uncompleted"; habit: string; event: HabitEvent }>
  | Readonly<{ what: "edited"; habit: string; before: ReadonlySet<HabitEvent> }>
  | Readonly<{ what: "removed" | "returned"; habit: string }>;

/** The changes of each action, in their order. */
type Changes = Map<string, readonly Change[]>;

/** All events of a habit, and those that count at present. */
type Story = {
  timeline: Timeline;
  ever: HabitEvent[];
  present: Set<HabitEvent>;
  gone?: Moment["dayAfter"] | undefined;
};

/**
 * Writes every habit's timeline only from the commands and the names of undone actions, not from computed values.
 * The streak is then computed from the timeline.
 */
export function timelinesOf(history: History): Map<string, Story> {
  const stories = new Map<string, Story>();
  const changes: Changes = new Map();
  for (const one of history) {
    const today = dayNumber(todayIn(one.dayBefore));
    for (const { timeline, gone } of stories.values()) if (!gone) passUntil(timeline, today);
    for (const done of one.done.flatMap(eachDone)) tell(stories, changes, one, done);
    for (const action of takenBack(one))
      for (const change of changes.get(action.action)?.toReversed() ?? []) {
        const story = stories.get(change.habit);
        if (story) takeBack(story, changes, one, action, change);
      }
    const next = dayNumber(todayIn(one.dayAfter));
    for (const { timeline, gone } of stories.values()) if (!gone) jumpTo(timeline, next);
    for (const [habit, story] of stories) if (!story.gone && !one.after.has(habit)) story.gone = one.dayAfter;
  }
  return stories;
}

/** A call for several habits, as if each had its own call. */
function eachDone(done: Done): Done[] {
  const { request, outcome } = done;
  if (request.name !== "batch.run-as-one" || !("body" in outcome)) return [done];
  const { ends } = outcome.body as ActionOutput;
  const operations = request.input.operations as readonly Done["request"][];
  return operations.map((one, index) => ({ ...done, request: one, outcome: ends[index] ?? outcome }));
}

function noteChange(changes: Changes, action: string, change: Change): void {
  changes.set(action, [...(changes.get(action) ?? []), change]);
}

function tell(stories: Map<string, Story>, changes: Changes, one: Moment, done: Done): void {
  const { request, outcome, action } = done;
  if (!("body" in outcome) || !request.name.startsWith("habit.")) return;
  const day = dayNumber(todayIn(one.dayBefore));
  const body = outcome.body as Row | null;
  const habit = `habits/${body?.id ?? request.input.habit_id}`;
  const note = (change: Change) => action && noteChange(changes, String(action.request_id), change);
  if (request.name === "habit.create" && body) {
    const timeline = emptyTimeline(rulesOf(body), day);
    stories.set(habit, { timeline, ever: [], present: new Set() });
    note({ what: "returned", habit });
  }
  const story = stories.get(habit);
  if (!story) return;
  const on = typeof request.input.date === "string" ? dayNumber(request.input.date) : day;
  if (request.name === "habit.delete") note({ what: "removed", habit });
  if (request.name === "habit.complete")
    note({ what: "completed", habit, event: add(story, { on, what: "completed" }) });
  if (request.name === "habit.undo") {
    const event = [...story.present].find((other) => other.what === "completed" && other.on === on);
    if (!event) throw new Error(`${habit} was not completed on ${on}`);
    story.present.delete(event);
    note({ what: "uncompleted", habit, event });
  }
  if (request.name === "habit.update" && body) {
    const before = editsIn(story);
    const old = rulesIn(story);
    if (sameDemand(old, rulesOf(body))) return;
    add(story, { on: day, what: "edited", to: rulesOf(body) });
    note({ what: "edited", habit, before });
  }
}

const rulesOf = ({ frequency, schedule, grace_days }: Row): Rules =>
  ({ frequency, schedule: schedule ?? null, grace_days }) as Rules;

const editsIn = ({ present }: Story): Set<HabitEvent> =>
  new Set([...present].filter(({ what }) => what === "edited"));

function rulesIn({ timeline, ever, present }: Story): Rules {
  const last = ever.findLast((event) => event.what === "edited" && present.has(event));
  return last?.what === "edited" ? last.to : timeline.rules;
}

function add({ ever, present }: Story, event: HabitEvent): HabitEvent {
  ever.push(event);
  present.add(event);
  return event;
}

type TakenBack = Readonly<{ action: string; by: string; end: End }>;

/** @returns the undone actions, in the order of their undo */
function takenBack(one: Moment): TakenBack[] {
  const ends = endsOf(one);
  return one.actions
    .filter(({ tool }) => tool === "action.undo")
    .sort((a, b) => (keyOf(a).called_at < keyOf(b).called_at ? -1 : 1))
    .flatMap((row) => {
      const { request_id } = JSON.parse(String(row.arguments));
      const end = ends.find((other) => other.request_id === request_id);
      return end ? [{ action: request_id, by: String(row.request_id), end }] : [];
    });
}

function takeBack(story: Story, changes: Changes, one: Moment, { by, end }: TakenBack, change: Change): void {
  const { habit } = change;
  const stays = (start: string) =>
    end.conflicts.some(
      ({ row, fields }) =>
        row?.startsWith(start) &&
        (change.what !== "edited" || fields.length === 0 || fields.includes("frequency")),
    );
  if (change.what === "returned" || change.what === "removed") {
    if (stays(habit) && change.what === "returned") return;
    if (change.what === "removed") comeBack(story, one);
    noteChange(changes, by, { what: change.what === "returned" ? "removed" : "returned", habit });
    return;
  }
  const row = "event" in change ? `habit_completions/${habit.slice(7)}/${dateOfDay(change.event.on)}` : habit;
  if (stays(row)) return;
  if (change.what === "edited") {
    noteChange(changes, by, { what: "edited", habit, before: editsIn(story) });
    for (const event of editsIn(story)) if (!change.before.has(event)) story.present.delete(event);
    for (const event of change.before) story.present.add(event);
    return;
  }
  if (change.what !== "completed" && change.what !== "uncompleted") return;
  if (change.what === "completed") story.present.delete(change.event);
  else story.present.add(change.event);
  noteChange(changes, by, { ...change, what: change.what === "completed" ? "uncompleted" : "completed" });
}

/** Effects of a zone change happen now. */
function comeBack(story: Story, one: Moment): void {
  const { gone } = story;
  story.gone = undefined;
  if (!gone) return;
  passUntil(story.timeline, dayNumber(todayIn({ ...gone, now: one.now })));
  jumpTo(story.timeline, dayNumber(todayIn(one.dayBefore)));
}

/** @returns the errors in the streak of a habit */
export function streakFaults(history: History): string[] {
  const last = history.at(-1);
  if (!last) return [];
  const today = todayIn(last.dayAfter);
  return [...timelinesOf(history)].flatMap(([habit, { timeline, ever, present }]) => {
    const row = last.after.get(habit);
    if (!row) return [];
    const completions = [...last.after.keys()].filter((name) =>
      name.startsWith(`habit_completions/${habit.slice(7)}/`),
    );
    const faults =
      row.completions_count === completions.length
        ? []
        : [`${habit} has ${completions.length} completions, and counts ${row.completions_count}`];
    passUntil(timeline, dayNumber(today));
    const events = ever.filter((event) => present.has(event));
    const columns = streakColumns(row as never, today);
    const [is, should] = [columns, { ...columns, ...expectedColumns({ ...timeline, events }) }];
    if (!Bun.deepEquals(is, should))
      faults.push(`${habit} is ${JSON.stringify(is)}, and should be ${JSON.stringify(should)}`);
    const done = events.filter(({ what }) => what === "completed").length;
    if (done !== completions.length)
      faults.push(`${habit} has ${completions.length} completions instead of ${done}`);
    return faults;
  });
}
