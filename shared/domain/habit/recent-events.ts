import type { Rules } from "./schedule.ts";
import { completed, type Demand, edited, type StreakTally, skipped } from "./tally.ts";

type Completion = Readonly<{ day: number; kind: "completed"; n: number }>;
type Skip = Readonly<{ day: number; kind: "skipped"; again?: true }>;
type Edit = Readonly<{ day: number; kind: "edited"; n: number; until: Rules }>;

/**
 * An event on a day (a day number). An edit holds the rules before it. A skipped day is `again` once today has
 * moved back before it. A habit never reuses a number `n`.
 */
type StreakEvent = Completion | Skip | Edit;

/**
 * Events in the order of their numbers, in which they happened. Their days may run back, after a change of zone or
 * a completion of an earlier day. The place of a skipped day does not matter.
 */
export type StreakEvents = readonly StreakEvent[];

/** The most edits kept one by one. It bounds the size of a state, even if a program edits without end. */
const mostEdits = 16;

/**
 * Adds an event. An edit directly after another edit changes nothing; it is kept only if an undone event between
 * them may be restored.
 */
export function append(events: StreakEvents, event: Completion | Edit): StreakEvents {
  const before = events.findLast((other) => other.kind !== "skipped");
  if (before?.n === event.n - 1 && countsAsOne(before, event)) return events;
  const all = [...events, event];
  return editsOf(all).length > mostEdits ? withoutDirectEdits(all) : all;
}

/** Edits with no completion between them count as one, unless the day changed. */
const countsAsOne = (before: StreakEvent | undefined, event: StreakEvent): boolean =>
  before?.kind === "edited" && event.kind === "edited" && event.day <= before.day;

function withoutDirectEdits(events: StreakEvents): StreakEvents {
  const kept: StreakEvent[] = [];
  for (const event of events) {
    const before = kept.findLast(({ kind }) => kind !== "skipped");
    if (!countsAsOne(before, event)) kept.push(event);
  }
  return kept;
}

export const editsOf = (events: StreakEvents): Edit[] => events.filter((event) => event.kind === "edited");

/** Restores an undone event to its old place. */
export function putBack(events: StreakEvents, event: Completion | Edit): StreakEvents {
  const next = events.findIndex((other) => other.kind !== "skipped" && other.n > event.n);
  return events.toSpliced(next === -1 ? events.length : next, 0, event);
}

/** Numbers events that an earlier release stored without numbers. */
export function numbered(events: StreakEvents): StreakEvents {
  let last = 0;
  return events.map((event) => {
    if (event.kind === "skipped") return event;
    last = event.n ?? last + 1;
    return { ...event, n: last };
  });
}

/** The greatest number among the events. */
export const lastNumber = (events: StreakEvents): number =>
  events.reduce((last, event) => (event.kind === "skipped" ? last : Math.max(last, event.n)), 0);

export const isCompletedOn = (events: StreakEvents, day: number): boolean =>
  events.some((event) => event.kind === "completed" && event.day === day);

export const completedDays = (events: StreakEvents): number[] =>
  events.flatMap(({ kind, day }) => (kind === "completed" ? [day] : []));

/** The events, as if a day had never been completed. */
export const withoutCompletion = (events: StreakEvents, day: number): StreakEvents =>
  events.filter((event) => event.kind !== "completed" || event.day !== day);

/** Turns skipped days that came again into ordinary past days once they are over. */
export function passDays(events: StreakEvents, today: number): StreakEvents {
  const hasPassed = (event: StreakEvent) => event.kind === "skipped" && event.again && event.day < today;
  return events.some(hasPassed) ? events.filter((event) => !hasPassed(event)) : events;
}

/** The events after today moved. Forward, it skips the days up to the new today; back, skipped days come again. */
export function moveToday(events: StreakEvents, from: number, to: number): StreakEvents {
  const isSkippedNow = ({ kind, day }: StreakEvent) => kind === "skipped" && day >= from && day < to;
  const moved = events
    .filter((event) => !isSkippedNow(event))
    .map((event) =>
      event.kind === "skipped" && event.day >= to ? { ...event, again: true as const } : event,
    );
  for (let day = from; day < to; day++) moved.push({ day, kind: "skipped" });
  return moved;
}

/** The tally after the events, if the rules of `demand` are in force after the last one. */
export function replay(tally: StreakTally, events: StreakEvents, demand: Demand): StreakTally {
  const ordered = inOrderOfDays(events);
  // A skipped day that comes again, and that no later day has followed, will pass like any other.
  const last = ordered.findLastIndex(({ event }) => event.kind !== "skipped" || !event.again);
  return replayOrdered(tally, ordered.slice(0, last + 1), demand);
}

/** The most days that a time-zone or day-start change can move today back. */
const daysMovedBack = 2;

/**
 * Settles the events before a day into the tally, because they can no longer change, and returns the others. An edit
 * stays while a completion of a day that came again can change its place.
 */
export function settle(
  tally: StreakTally,
  events: StreakEvents,
  { rules, free }: Demand,
  day: number,
): { tally: StreakTally; rest: StreakEvents } {
  const waiting = editsOf(events).filter((edit) => edit.day >= day - daysMovedBack);
  const until = Math.min(day, ...waiting.map((edit) => edit.day));
  const ordered = inOrderOfDays(events);
  const count = ordered.filter(({ on }) => on < until).length;
  if (count === 0) return { tally, rest: events };
  const past = ordered.slice(0, count);
  return {
    tally: replayOrdered(tally, past, { rules: rulesBefore(ordered.slice(count), rules), free }),
    rest: events.filter((event) => past.every((other) => other.event !== event)),
  };
}

type Dated = { on: number; event: StreakEvent };

/**
 * After today moved back, an edit counts from the latest day that was completed or edited so far. A skip comes last
 * in its day.
 */
function inOrderOfDays(events: StreakEvents): Dated[] {
  let latest = 0;
  const dated = events.map((event) => {
    if (event.kind === "skipped") return { on: event.day, event };
    latest = Math.max(latest, event.day);
    return { on: event.kind === "edited" ? latest : event.day, event };
  });
  const rank = ({ on, event }: Dated) => 2 * on + (event.kind === "skipped" ? 1 : 0);
  return dated.sort((a, b) => rank(a) - rank(b));
}

/** @param demand with the rules after the last event */
function replayOrdered(tally: StreakTally, ordered: readonly Dated[], { rules, free }: Demand): StreakTally {
  let inForce: Demand = { rules: rulesBefore(ordered, rules), free };
  return ordered.reduce((before, { on, event }, i) => {
    if (event.kind === "completed") return completed(before, inForce, on);
    if (event.kind === "skipped") return skipped(before, inForce, on);
    const old = inForce;
    inForce = { rules: rulesBefore(ordered.slice(i + 1), rules), free };
    return edited(before, old, inForce.rules, on);
  }, tally);
}

/** The rules before these events, which the first edit replaced. */
function rulesBefore(ordered: readonly Dated[], rules: Rules): Rules {
  for (const { event } of ordered) if (event.kind === "edited") return event.until;
  return rules;
}
