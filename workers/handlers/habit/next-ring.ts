import {
  addDays,
  dateOfDay,
  dayNumber,
  localDay,
  resolveLocalTime,
  timestamp,
} from "../../../shared/domain/day/day.ts";
import { type DueColumns, nextAsked } from "../../../shared/domain/habit/streak.ts";

/** A habit with its reminder, as a row or an image has it. */
export type RemindingHabit = DueColumns &
  Readonly<{
    /** `HH:MM`. */
    remind_at?: string | null | undefined;
    /** The next instant. */
    rings_at?: string | null | undefined;
    /** The last day on which it rang. */
    rang_on?: string | null | undefined;
    delivery_id?: string | null | undefined;
  }>;

export type DayRules = Readonly<{ timeZone: string; dayStartHour: number }>;

/** A ring belongs to the user's day whose wall time it is, even where DST moves it past the end of that day. */
type Ring = Readonly<{ day: string; at: number }>;

/** A habit that is due only after ten years has no next ring until it changes. */
const daysAhead = 3_660;

/** The first reminder after an instant (epoch ms) if nothing more is done. A day rings once, also after a journey. */
export function nextReminder(habit: RemindingHabit, rules: DayRules, after: number): Ring | undefined {
  const { remind_at, rang_on } = habit;
  if (remind_at == null) return undefined;
  const today = dayNumber(localDay(after, rules.timeZone, rules.dayStartHour));
  const rung = rang_on == null ? today - 1 : dayNumber(rang_on);
  // Today's time and, where a clock change moved it, that of the next day can have passed.
  for (let from = Math.max(today, rung + 1); ; from++) {
    from = nextWanted(habit, from);
    if (from > today + daysAhead) return undefined;
    const day = dateOfDay(from);
    const at = ringOn(day, remind_at, rules);
    if (at > after) return { day, at };
  }
}

/** The first day from a day on, as day numbers, on which the habit is due and not done. */
function nextWanted(habit: RemindingHabit, from: number): number {
  let day = nextAsked(habit, from);
  while (Number.isFinite(day) && habit.recent_dates.includes(dateOfDay(day))) day = nextAsked(habit, day + 1);
  return day;
}

const isWanted = (habit: RemindingHabit, date: string): boolean =>
  nextWanted(habit, dayNumber(date)) === dayNumber(date);

/** Hours before the start of day belong to the day before. */
function ringOn(day: string, time: string, { timeZone, dayStartHour }: DayRules): number {
  const date = Number(time.slice(0, 2)) < dayStartHour ? addDays(day, 1) : day;
  return resolveLocalTime(`${date}T${time}`, timeZone);
}

/** Columns that follow from a habit and the time. */
type RingColumns = Readonly<Record<"rings_at" | "rang_on" | "delivery_id", string | null>>;

/**
 * The next ring after a change. A ring that is due and not yet taken still happens. A delivery under way is
 * cancelled if its day is done. With another time the day may ring again.
 * @param before undefined for a new habit
 * @param now epoch ms
 */
export function ringsAfterChange(
  habit: RemindingHabit,
  before: RemindingHabit | undefined,
  rules: DayRules,
  now: number,
): RingColumns {
  const isMoved = before !== undefined && (before.remind_at ?? null) !== (habit.remind_at ?? null);
  const rang_on = isMoved ? null : (habit.rang_on ?? null);
  const waiting = isMoved || before?.rings_at == null ? now : instantOf(before.rings_at) - 1;
  const next = nextReminder({ ...habit, rang_on }, rules, Math.min(waiting, now));
  const stands = rang_on !== null && habit.remind_at != null && isWanted(habit, rang_on);
  return { rings_at: textOf(next), rang_on, delivery_id: stands ? (habit.delivery_id ?? null) : null };
}

const dayMs = 86_400_000;

/** @param habit whose next ring lies before `now` (epoch ms) */
export function dueRing(habit: RemindingHabit, rules: DayRules, now: number) {
  const at = instantOf(habit.rings_at ?? "");
  const ring = nextReminder(habit, rules, at - 1);
  /** The day on which it rings; absent if the habit is done by then or its user has moved. */
  const day = ring?.at === at ? ring.day : undefined;
  const rung = day === undefined ? habit : { ...habit, rang_on: day };
  // After a long absence, the last day rings and no earlier one.
  const after = Math.max(day === undefined ? at - 1 : at, now - dayMs);
  const isMissed = at < now - dayMs;
  return { day, isMissed, rings_at: textOf(nextReminder(rung, rules, after)) };
}

const instantOf = (stored: string): number => Date.parse(timestamp(stored));
const textOf = (ring: Ring | undefined): string | null => (ring ? new Date(ring.at).toISOString() : null);
