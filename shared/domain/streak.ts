import { dateOfDay, dayNumber, isoWeekday, weekStart } from "./day.ts";
import { rhythmOf, sameDemand } from "./rhythm.ts";
import { completed, edited, noRun, type Run, skipped } from "./run.ts";
import type { Rules } from "./schedule.ts";

/** What happened on a day; an edit keeps the rules that were in force until it. */
type Event = Readonly<
  { day: number } & ({ kind: "completed" } | { kind: "skipped" } | { kind: "edited"; until: Rules })
>;

/** A streak with the few days that can still change kept apart, in order: its size and cost have a bound. */
export type StreakState = Readonly<{ settled: Run; recent: readonly Event[] }>;

/** No zone and no day start puts today further back than two days; one more for the skew of clocks. */
const changeableDays = 3;

export const newStreak = (_rules: Rules, _today: string): StreakState => ({ settled: noRun, recent: [] });

/** Completes today, which may lie before days already completed when a journey put it back. */
export function complete(state: StreakState, rules: Rules, today: string): StreakState | "already_completed" {
  const day = dayNumber(today);
  if (isCompleted(state, day)) return "already_completed";
  const { settled, recent } = settle(state, rules, day);
  return { settled, recent: insert(recent, { day, kind: "completed" }) };
}

/** The streak as if today had never been completed, whatever edits and journeys lie between. */
export function undo(state: StreakState, rules: Rules, today: string): StreakState | "not_completed" {
  const day = dayNumber(today);
  if (!isCompleted(state, day)) return "not_completed";
  const { settled, recent } = settle(state, rules, day);
  const rest = recent.filter((event) => event.kind !== "completed" || event.day !== day);
  return { settled, recent: rest.filter((event, i) => !continuesEdit(rest[i - 1], event)) };
}

/** New rules from today on. Rules that demand the same are no edit. */
export function editRules(state: StreakState, oldRules: Rules, newRules: Rules, today: string): StreakState {
  if (sameDemand(oldRules, newRules)) return state;
  const { settled, recent } = settle(state, oldRules, dayNumber(today));
  const latest = recent.findLast((event) => event.kind !== "skipped");
  const edit: Event = {
    day: Math.max(dayNumber(today), latest?.day ?? 0),
    kind: "edited",
    until: oldRules,
  };
  return { settled, recent: continuesEdit(latest, edit) ? recent : insert(recent, edit) };
}

/** A change of zone or day start: the days from the old today to the new one are neutral. */
export function moveDay(state: StreakState, rules: Rules, oldToday: string, newToday: string): StreakState {
  let { settled, recent } = settle(state, rules, dayNumber(newToday));
  for (let day = dayNumber(oldToday); day < dayNumber(newToday); day++) {
    const known = recent.some((event) => event.kind === "skipped" && event.day === day);
    if (!known) recent = insert(recent, { day, kind: "skipped" });
  }
  return { settled, recent };
}

/** The columns that reads compare with today; the count is shown through `alive_through` and is 0 after it. */
export function view(state: StreakState, rules: Rules) {
  const run = replay(state.settled, state.recent, rules);
  const completions = state.recent.filter(({ kind }) => kind === "completed");
  return {
    streak_count: run.count,
    longest_streak: run.longest,
    alive_through: run.count === 0 ? null : dateOfDay(run.alive),
    next_due: nextDue(run, rules),
    recent_dates: completions.map(({ day }) => dateOfDay(day)),
  };
}

/** Whether the habit asks for today, or today is done. */
export function isDueOn(state: StreakState, rules: Rules, today: string): boolean {
  const { next_due, recent_dates } = view(state, rules);
  if (recent_dates.includes(today)) return true;
  const rhythm = rhythmOf(rules);
  if ("weekdays" in rhythm) return rhythm.weekdays.includes(isoWeekday(dayNumber(today)));
  return next_due === null || next_due <= today;
}

/** The first day on which the habit can be due again; null when the rhythm does not wait. */
function nextDue({ last, dates }: Run, rules: Rules): string | null {
  const rhythm = rhythmOf(rules);
  if (last === null || "weekdays" in rhythm) return null;
  if ("every" in rhythm) return rhythm.every === 1 ? null : dateOfDay(last + rhythm.every);
  const monday = weekStart(last);
  const done = dates.filter((date) => date >= monday).length;
  return dateOfDay(done >= rhythm.times ? monday + 7 : monday);
}

const isCompleted = ({ recent }: StreakState, day: number) =>
  recent.some((event) => event.kind === "completed" && event.day === day);

/** Edits on one day with no completion between them are one. */
const continuesEdit = (before: Event | undefined, event: Event) =>
  event.kind === "edited" && before?.kind === "edited" && before.day === event.day;

/** Keeps the order of days; on a day, a skip comes last. */
function insert(recent: readonly Event[], event: Event): readonly Event[] {
  const place = ({ day, kind }: Event) => 2 * day + (kind === "skipped" ? 1 : 0);
  const index = recent.findIndex((other) => place(other) > place(event));
  return recent.toSpliced(index < 0 ? recent.length : index, 0, event);
}

/** Folds the days that can no longer change into the settled run. */
function settle({ settled, recent }: StreakState, rules: Rules, today: number): StreakState {
  const index = recent.findIndex(({ day }) => day >= today - changeableDays);
  const count = index < 0 ? recent.length : index;
  if (count === 0) return { settled, recent };
  const rest = recent.slice(count);
  return { settled: replay(settled, recent.slice(0, count), rulesBefore(rest, rules)), recent: rest };
}

/** The run after the events, of which the last leaves the given rules in force. */
function replay(settled: Run, events: readonly Event[], rules: Rules): Run {
  return events.reduce((run, event, i) => {
    const inForce = rulesBefore(events.slice(i + 1), rules);
    if (event.kind === "completed") return completed(run, inForce, event.day);
    if (event.kind === "edited") return edited(run, inForce, event.day);
    return skipped(run, inForce, event.day);
  }, settled);
}

function rulesBefore(events: readonly Event[], rules: Rules): Rules {
  for (const event of events) if (event.kind === "edited") return event.until;
  return rules;
}
