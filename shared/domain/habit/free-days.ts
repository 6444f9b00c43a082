import { dateOfDay, dayNumber, weekStart } from "../day/day.ts";

/** The first and the last day of a pause as day numbers; the last is null while the pause has no end. */
export type Pause = readonly [from: number, through: number | null];

/** Days that free a habit: its pauses in order, and its single skipped days in order. */
export type FreeDays = Readonly<{ pauses: readonly Pause[]; skips: readonly number[] }>;

export const noFreeDays: FreeDays = { pauses: [], skips: [] };

/** Free days as ordered spans that do not touch each other. A span without an end ends at Infinity. */
export type Spans = readonly (readonly [from: number, through: number])[];
export const noSpans: Spans = [];

export function spansOf({ pauses, skips }: FreeDays): Spans {
  if (pauses.length === 0 && skips.length === 0) return noSpans;
  return joined([
    ...pauses.map(([from, through]): [number, number] => [from, through ?? Number.POSITIVE_INFINITY]),
    ...skips.map((day): [number, number] => [day, day]),
  ]);
}

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

export const isFree = (spans: Spans, day: number): boolean =>
  spans.some(([from, through]) => from <= day && day <= through);

/** The free days of a period, as dates. */
export const datesIn = (spans: Spans, first: string, last: string): ReadonlySet<string> => {
  const [from, through] = [dayNumber(first), dayNumber(last)];
  const days = Array.from({ length: through - from + 1 }, (_, index) => from + index);
  return new Set(days.filter((day) => isFree(spans, day)).map(dateOfDay));
};

/** The first day from a day on that is not free. */
export const firstAsked = (spans: Spans, day: number): number =>
  spans.reduce((first, [from, through]) => (from <= first && first <= through ? through + 1 : first), day);

/** The spans as whole weeks: one free day frees its week. */
export const wholeWeeks = (spans: Spans): Spans =>
  joined(spans.map(([from, through]) => [weekStart(from), sundayFrom(through)] as const));

const sundayFrom = (day: number): number => (day === Number.POSITIVE_INFINITY ? day : weekStart(day) + 6);

/** @returns the Monday after the free weeks that begin with this one; a week with a free day is free */
export function mondayAfterFree(spans: Spans, monday: number): number {
  const span = spans.find(([from, through]) => from <= monday + 6 && monday <= through);
  return span ? sundayFrom(span[1]) + 1 : monday;
}

export const multirangeOf = (spans: Spans): string =>
  `{${spans.map(([from, through]) => `[${dateOfDay(from)},${endOf(through)})`).join(",")}}`;

/** PostgreSQL writes ranges of dates without their last day. */
const endOf = (day: number): string => (Number.isFinite(day) ? dateOfDay(day + 1) : "");

type PauseChange = Readonly<{
  /** Null ends the pause. */
  pause: Pause | null;
  today: number;
  /** The first day that the new pause can still make free. */
  first: number;
}>;

/** Past days of earlier pauses stay free, so the end of a pause never turns its days into missed ones. */
export function withPause(free: FreeDays, { pause, today, first }: PauseChange): FreeDays {
  const past = pausesBefore(free.pauses, today);
  const [from, through] = pause ?? [0, -1];
  const begin = Math.max(from, first);
  const isLeft = pause !== null && (through === null || through >= begin);
  return { ...free, pauses: joinPauses(isLeft ? [...past, [begin, through]] : past) };
}

const pausesBefore = (pauses: readonly Pause[], day: number): Pause[] =>
  pauses.flatMap(([from, through]): Pause[] =>
    from < day ? [[from, Math.min(through ?? day - 1, day - 1)]] : [],
  );

/** The pauses from a day on, after those before it from another list. */
export function pausesFrom(pauses: readonly Pause[], others: readonly Pause[], day: number): Pause[] {
  const later = pauses.filter(([, through]) => through === null || through >= day);
  const begun = later.map(([from, through]): Pause => [Math.max(from, day), through]);
  return joinPauses([...pausesBefore(others, day), ...begun]);
}

export const withSkip = (free: FreeDays, day: number): FreeDays => ({
  ...free,
  skips: [...free.skips, day].sort((a, b) => a - b),
});

export const withoutSkip = (free: FreeDays, day: number): FreeDays => ({
  ...free,
  skips: free.skips.filter((one) => one !== day),
});

/** More than all misses that a grace forgives, and more pauses than anybody makes in years. */
const mostPauses = 64;

/**
 * Drops skips on which no streak looks back, and keeps other unchangeable ones like pauses. Pauses stay for
 * exports. If there are too many, the oldest become one, which never makes a day missed.
 */
export function settledFreeDays(free: FreeDays, needed: number, since: number): FreeDays {
  const monday = weekStart(needed);
  const old = free.skips.filter((day) => monday <= day && day < since);
  if (free.skips.length === 0 && free.pauses.length <= mostPauses) return free;
  const pauses = joinPauses([...free.pauses, ...old.map((day): Pause => [day, day])]);
  while (pauses.length > mostPauses) pauses.splice(0, 2, [pauses[0]?.[0] ?? 0, pauses[1]?.[1] ?? null]);
  return { pauses, skips: free.skips.filter((day) => day >= since) };
}

/** Pauses in order; those that touch each other become one. */
export function joinPauses(pauses: readonly Pause[]): Pause[] {
  return spansOf({ pauses, skips: [] }).map(([from, through]) => [
    from,
    through === Number.POSITIVE_INFINITY ? null : through,
  ]);
}
