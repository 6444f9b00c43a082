import { addDays, dateOfDay, dayNumber, weekStart } from "../day/day.ts";

/** The first and the last day of a pause; the last is null while the pause has no end. */
export type Pause = Readonly<{ from: string; through: string | null }>;

/** Days that free a habit: its pauses, in order and apart, and its single skipped days, in order. */
export type FreeDays = Readonly<{ pauses: readonly Pause[]; skipped_dates: readonly string[] }>;

/** Days as ordered spans of day numbers that do not touch each other. A span without an end ends at Infinity. */
export type Spans = readonly (readonly [from: number, through: number])[];

export function spansOf({ pauses, skipped_dates }: FreeDays): Spans {
  if (pauses.length === 0 && skipped_dates.length === 0) return [];
  return joined([
    ...pauses.map(
      ({ from, through }) => [dayNumber(from), through === null ? endless : dayNumber(through)] as const,
    ),
    ...skipped_dates.map(dayNumber).map((day) => [day, day] as const),
  ]);
}

const endless = Number.POSITIVE_INFINITY;

/** Merges spans and single days into spans that do not touch each other. */
export const withDays = (spans: Spans, days: readonly number[]): Spans =>
  days.length === 0 ? spans : joined([...spans, ...days.map((day) => [day, day] as const)]);

function joined(spans: Spans): Spans {
  const all: [number, number][] = [];
  for (const [from, through] of spans.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], through);
    else all.push([from, through]);
  }
  return all;
}

export const isFree = (spans: Spans, day: number): boolean => firstAsked(spans, day) !== day;

export const datesIn = (spans: Spans, first: string, last: string): ReadonlySet<string> => {
  const [from, through] = [dayNumber(first), dayNumber(last)];
  const days = Array.from({ length: through - from + 1 }, (_, index) => from + index);
  return new Set(days.filter((day) => isFree(spans, day)).map(dateOfDay));
};

/** The first day from a day on that is not free. */
export function firstAsked(spans: Spans, day: number): number {
  for (const [from, through] of spans) if (from <= day && day <= through) return through + 1;
  return day;
}

/** The spans as whole weeks: one free day frees its week. */
export const wholeWeeks = (spans: Spans): Spans =>
  joined(spans.map(([from, through]) => [weekStart(from), sundayFrom(through)] as const));

const sundayFrom = (day: number): number => (day === endless ? day : weekStart(day) + 6);

export const multirangeOf = (spans: Spans): string =>
  `{${spans.map(([from, through]) => `[${dateOfDay(from)},${through === endless ? "" : dateOfDay(through + 1)})`).join(",")}}`;

/** Pauses in order; those that touch each other become one. */
export const joinPauses = (pauses: readonly Pause[]): Pause[] =>
  spansOf({ pauses, skipped_dates: [] }).map(([from, through]) => ({
    from: dateOfDay(from),
    through: through === endless ? null : dateOfDay(through),
  }));

/** The pause of a habit. Without a last day it lasts until it is ended. */
export type PauseDates = Readonly<{ paused_from: string | null; paused_through: string | null }>;

/** The number of days before today on which a new pause can begin. */
export const pauseDaysBack = 7;

export const isPausedOn = ({ paused_from, paused_through }: PauseDates, date: string): boolean =>
  paused_from !== null && paused_from <= date && (paused_through === null || date <= paused_through);

/**
 * All pauses after the present one was replaced or ended. Past days of earlier pauses stay free, so the end of a pause
 * never turns its days into missed ones.
 */
export function withPause(
  pauses: readonly Pause[],
  { paused_from, paused_through: through }: PauseDates,
  today: string,
): Pause[] {
  const yesterday = addDays(today, -1);
  const past = pauses.flatMap(({ from, through }): Pause[] =>
    from < today ? [{ from, through: through !== null && through < today ? through : yesterday }] : [],
  );
  if (paused_from === null) return past;
  const first = addDays(today, -pauseDaysBack);
  const from = paused_from > first ? paused_from : first;
  return joinPauses(through === null || through >= from ? [...past, { from, through }] : past);
}
