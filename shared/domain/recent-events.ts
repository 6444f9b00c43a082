import { completed, edited, type StreakRun, skipped } from "./run.ts";
import type { Rules } from "./schedule.ts";

/** Something that happened on a day (a day number), which was then the user's today. An edit holds the rules before it. */
export type StreakEvent = Readonly<
  { day: number } & ({ kind: "completed" } | { kind: "skipped" } | { kind: "edited"; until: Rules })
>;

/** In the order in which they happened; a time-zone change can make their days run backwards. */
export type StreakEvents = readonly StreakEvent[];

/** Adds what just happened, unless it changes nothing: that keeps the number of events in a day small. */
export const append = (events: StreakEvents, event: StreakEvent): StreakEvents =>
  changesNothing(events, event) ? events : [...events, event];

/** A day can be skipped once only. Edits with no completion between them count as one, unless the day changed. */
function changesNothing(events: StreakEvents, event: StreakEvent): boolean {
  if (event.kind === "completed") return false;
  if (event.kind === "skipped")
    return events.some(({ kind, day }) => kind === "skipped" && day === event.day);
  const before = events.findLast(({ kind }) => kind !== "skipped");
  return before?.kind === "edited" && event.day <= before.day;
}

export const isCompletedOn = (events: StreakEvents, day: number): boolean =>
  events.some((event) => event.kind === "completed" && event.day === day);

/** The events as if a day had never been completed. */
export const withoutCompletion = (events: StreakEvents, day: number): StreakEvents =>
  events.filter((event) => event.kind !== "completed" || event.day !== day).reduce<StreakEvents>(append, []);

/** The run after the events, when `rules` are in force after the last of them. */
export const replay = (run: StreakRun, events: StreakEvents, rules: Rules): StreakRun =>
  replayOrdered(run, inOrderOfDays(events), rules);

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
    run: replayOrdered(run, past, rulesFrom(ordered, count, rules)),
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

function replayOrdered(run: StreakRun, ordered: Dated[], rules: Rules): StreakRun {
  return ordered.reduce((before, { on, event }, i) => {
    const inForce = rulesFrom(ordered, i + 1, rules);
    if (event.kind === "completed") return completed(before, inForce, on);
    if (event.kind === "edited") return edited(before, inForce, on);
    return skipped(before, inForce, on);
  }, run);
}

/** The rules in force from the event at `start` until the next edit. */
function rulesFrom(ordered: Dated[], start: number, rules: Rules): Rules {
  for (const { event } of ordered.slice(start)) if (event.kind === "edited") return event.until;
  return rules;
}
