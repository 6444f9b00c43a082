import { completed, edited, type Run, skipped } from "./run.ts";
import type { Rules } from "./schedule.ts";

/** What happened on a day number, which was today then; an edit keeps the rules that were in force until it. */
export type StreakEvent = Readonly<
  { day: number } & ({ kind: "completed" } | { kind: "skipped" } | { kind: "edited"; until: Rules })
>;

/** StreakEvents in the order they happened, which is not always that of their days. */
export type StreakEvents = readonly StreakEvent[];

/** Adds what just happened. What changes nothing is left out, so that a day holds few events. */
export const append = (events: StreakEvents, event: StreakEvent): StreakEvents =>
  changesNothing(events, event) ? events : [...events, event];

/** A day is skipped once; edits with no completion between them are one, unless the later is of a later day. */
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

/** The run after the events, the last of which left the given rules in force. */
export const replay = (run: Run, events: StreakEvents, rules: Rules): Run =>
  replayOrdered(run, inOrderOfDays(events), rules);

/** Replays what lies before a day, which nothing can change any more, and leaves the rest. */
export function settle(
  run: Run,
  events: StreakEvents,
  rules: Rules,
  day: number,
): { run: Run; rest: StreakEvents } {
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

/** An edit made after the clock went back counts from the latest day completed or edited before it. Skips end their day. */
function inOrderOfDays(events: StreakEvents): Dated[] {
  let latest = 0;
  const dated = events.map((event) => {
    if (event.kind === "skipped") return { on: event.day, event };
    latest = Math.max(latest, event.day);
    return { on: event.kind === "edited" ? latest : event.day, event };
  });
  const place = ({ on, event }: Dated) => 2 * on + (event.kind === "skipped" ? 1 : 0);
  return dated.sort((a, b) => place(a) - place(b));
}

function replayOrdered(run: Run, ordered: Dated[], rules: Rules): Run {
  return ordered.reduce((before, { on, event }, i) => {
    const inForce = rulesFrom(ordered, i + 1, rules);
    if (event.kind === "completed") return completed(before, inForce, on);
    if (event.kind === "edited") return edited(before, inForce, on);
    return skipped(before, inForce, on);
  }, run);
}

/** The rules in force until the next edit. */
function rulesFrom(ordered: Dated[], start: number, rules: Rules): Rules {
  for (const { event } of ordered.slice(start)) if (event.kind === "edited") return event.until;
  return rules;
}
