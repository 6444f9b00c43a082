import { completed, edited, type StreakRun, skipped } from "./run.ts";
import type { Rules } from "./schedule.ts";

/**
 * Something that happened on a day (a day number). An edit holds the rules before it. A skipped day is `again` once
 * today has moved back so that the day comes again.
 */
type StreakEvent = Readonly<
  { day: number } & (
    | { kind: "completed" }
    | { kind: "skipped"; again?: true }
    | { kind: "edited"; until: Rules }
  )
>;

/** In the order in which they happened; a time-zone change or a completion for an earlier day makes their days run back. */
export type StreakEvents = readonly StreakEvent[];

/** Adds what just happened, unless it changes nothing: that keeps the number of events in a day small. */
export const append = (events: StreakEvents, event: StreakEvent): StreakEvents =>
  changesNothing(events, event) ? events : [...events, event];

/** Edits with no completion between them count as one, unless the day changed. */
function changesNothing(events: StreakEvents, event: StreakEvent): boolean {
  if (event.kind !== "edited") return false;
  const before = events.findLast(({ kind }) => kind !== "skipped");
  return before?.kind === "edited" && event.day <= before.day;
}

export const isCompletedOn = (events: StreakEvents, day: number): boolean =>
  events.some((event) => event.kind === "completed" && event.day === day);

/** The events as if a day had never been completed. */
export const withoutCompletion = (events: StreakEvents, day: number): StreakEvents =>
  events.filter((event) => event.kind !== "completed" || event.day !== day).reduce<StreakEvents>(append, []);

/** The events once a skipped day that came again is over: it has passed like any other day. */
export function passDays(events: StreakEvents, today: number): StreakEvents {
  const hasPassed = (event: StreakEvent) => event.kind === "skipped" && event.again && event.day < today;
  return events.some(hasPassed) ? events.filter((event) => !hasPassed(event)) : events;
}

/** The events after today moved: forward, it skips the days up to the new today; back, skipped days come again. */
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

/** The run after the events, when `rules` are in force after the last of them. */
export function replay(run: StreakRun, events: StreakEvents, rules: Rules): StreakRun {
  const ordered = inOrderOfDays(events);
  // A skipped day that comes again and that no later day has followed yet will pass like any other.
  const last = ordered.findLastIndex(({ event }) => event.kind !== "skipped" || !event.again);
  return replayOrdered(run, ordered.slice(0, last + 1), rules);
}

/** Replays the events before a day into the run, because they cannot change any more, and returns the rest. */
export function settle(
  run: StreakRun,
  events: StreakEvents,
  rules: Rules,
  day: number,
): { run: StreakRun; rest: StreakEvents } {
  const ordered = inOrderOfDays(events);
  const count = ordered.filter(({ on }) => on < day).length;
  if (count === 0) return { run, rest: events };
  const past = ordered.slice(0, count);
  return {
    run: replayOrdered(run, past, rulesBefore(ordered.slice(count), rules)),
    rest: events.filter((event) => past.every((other) => other.event !== event)),
  };
}

type Dated = { on: number; event: StreakEvent };

/** After today moved back, an edit counts from the latest day completed or edited so far. A skip sorts last in its day. */
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

/** @param rules those in force after the last event */
function replayOrdered(run: StreakRun, ordered: readonly Dated[], rules: Rules): StreakRun {
  let inForce = rulesBefore(ordered, rules);
  return ordered.reduce((before, { on, event }, i) => {
    if (event.kind === "completed") return completed(before, inForce, on);
    if (event.kind === "skipped") return skipped(before, inForce, on);
    const old = inForce;
    inForce = rulesBefore(ordered.slice(i + 1), rules);
    return edited(before, old, inForce, on);
  }, run);
}

/** The rules in force before these events, which are those that their first edit replaced. */
function rulesBefore(ordered: readonly Dated[], rules: Rules): Rules {
  for (const { event } of ordered) if (event.kind === "edited") return event.until;
  return rules;
}
