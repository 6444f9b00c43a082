import fc from "fast-check";
import { addDays, dateOfDay, dayNumber, localDay } from "../../../shared/domain/day/day.ts";
import { type PauseDates, pauseDaysBack } from "../../../shared/domain/habit/free-days.ts";
import { daysBack } from "../../../shared/domain/habit/history.ts";
import type { Rules, Schedule } from "../../../shared/domain/habit/rhythm.ts";
import { wordsIn } from "../text-table.ts";

/** Random lives of a habit: what a person does, hour by hour, and the time-zone changes in between. */

/** A zone's name, or an offset in hours, which is faster. */
type Zone = string | number;
type DaySettings = { zone: Zone; dayStart: number };

/** A pause begins some days before or after the day, and lasts some days more or until it is ended. */
type Pause = { begin: number; length: number | null };
type Act =
  | { kind: "complete" | "undo" | "skip" | "unskip"; daysBack: number }
  | { edit: Rules }
  | { move: DaySettings }
  | { pause: Pause | null };
type Step = { hours: number; act: Act };
type Life = { start: number; rules: Rules; settings: DaySettings; steps: Step[] };

/** The same life as the service sees it: commands, each with the user's today. */
export type Command =
  | { kind: "complete" | "undo" | "skip" | "unskip"; today: string; date: string }
  | { kind: "pause"; today: string; to: PauseDates }
  | { kind: "edit"; today: string; to: Rules }
  | { kind: "move"; today: string; to: string };

export type History = { rules: Rules; start: string; commands: Command[] };

const hour = 3_600_000;

/** Days shortly before leap days and their absence, years with 53 weeks, DST changes and dates that a zone skipped. */
const starts = wordsIn(`
  2024-02-27 2100-02-27 2000-02-28 2020-12-29 2026-12-30 2026-03-27 2026-10-24 2011-12-27 1993-08-18 2026-05-01`).map(
  (date) => Date.parse(date),
);

const realZones = wordsIn(`
  UTC Europe/Berlin America/New_York America/Los_Angeles America/St_Johns America/Sao_Paulo Africa/Casablanca
  Asia/Kolkata Asia/Tehran Asia/Tokyo Australia/Lord_Howe Pacific/Auckland Pacific/Chatham Pacific/Apia
  Pacific/Kwajalein Pacific/Kiritimati Pacific/Pago_Pago Etc/GMT+12`);

const schedule: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ every_days: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(365)) }),
  fc.record({ weekdays: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }) }),
  fc.record({ times_per_week: fc.integer({ min: 1, max: 7 }) }),
);

const grace_days = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4, max: 30 }) },
);

export const anyRules: fc.Arbitrary<Rules> = fc.oneof(
  fc.record({
    frequency: fc.constantFrom("daily" as const, "weekly" as const),
    schedule: fc.constant(null),
    grace_days,
  }),
  fc.record({
    frequency: fc.constant("custom" as const),
    schedule: fc.option(schedule, { freq: 9 }),
    grace_days,
  }),
);

type Manner = { zone: fc.Arbitrary<Zone>; hours: fc.Arbitrary<number>; moves: number };

const settingsIn = (zone: fc.Arbitrary<Zone>): fc.Arbitrary<DaySettings> =>
  fc.record({ zone, dayStart: fc.constantFrom(0, 0, 3, 6) });

/** Mostly a day of the last week, else any that can be changed. */
const someDaysBack = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 7 }) },
  { weight: 1, arbitrary: fc.integer({ min: 8, max: daysBack }) },
);

/** Mostly today. */
const tick = (kind: "complete" | "undo"): fc.Arbitrary<Act> =>
  fc.record({
    kind: fc.constant(kind),
    daysBack: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: someDaysBack }),
  });

/** Few days, so that some skips are undone. */
const skip = (kind: "skip" | "unskip"): fc.Arbitrary<Act> =>
  fc.record({ kind: fc.constant(kind), daysBack: fc.oneof(fc.integer({ min: -4, max: 0 }), someDaysBack) });

const pause: fc.Arbitrary<Act> = fc.record({
  pause: fc.option<Pause | null>(
    fc.record({
      begin: fc.integer({ min: -pauseDaysBack, max: 4 }),
      length: fc.option<number | null>(fc.oneof(fc.nat(3), fc.nat(40)), { freq: 3 }),
    }),
    { freq: 2 },
  ),
});

const livesOf = ({ zone, hours, moves }: Manner): fc.Arbitrary<History> => {
  const act = fc.oneof(
    { weight: 10, arbitrary: tick("complete") },
    { weight: 3, arbitrary: tick("undo") },
    { weight: 2, arbitrary: fc.record({ edit: anyRules }) },
    { weight: 2, arbitrary: pause },
    { weight: 2, arbitrary: skip("skip") },
    { weight: 1, arbitrary: skip("unskip") },
    { weight: moves, arbitrary: fc.record({ move: settingsIn(zone) }) },
  );
  const steps = fc.array(fc.record({ hours, act }), { maxLength: 24, size: "max" });
  return fc
    .record({ start: fc.constantFrom(...starts), rules: anyRules, settings: settingsIn(zone), steps })
    .map(historyOf);
};

const daysAndWeeks = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 * 24 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 60 * 24 }) },
);
const offset = fc.integer({ min: -12, max: 14 });

export const ordinaryLives = livesOf({ zone: offset, hours: daysAndWeeks, moves: 2 });
/** Stays in one zone. */
export const settledLives = livesOf({ zone: offset, hours: daysAndWeeks, moves: 0 });
/** Moves to and fro over the date line, with all changes in a few days. */
export const restlessLives = livesOf({
  zone: fc.constantFrom(-12, 0, 14),
  hours: fc.integer({ min: 0, max: 12 }),
  moves: 8,
});
export const livesInRealZones = livesOf({
  zone: fc.constantFrom(...realZones),
  hours: daysAndWeeks,
  moves: 4,
});

function historyOf({ start, rules, settings: first, steps }: Life): History {
  const commands: Command[] = [];
  let now = start;
  let settings = first;
  for (const { hours, act } of steps) {
    now += hours * hour;
    const today = todayOf(now, settings);
    if ("kind" in act) commands.push({ kind: act.kind, today, date: addDays(today, -act.daysBack) });
    else if ("edit" in act) commands.push({ kind: "edit", today, to: act.edit });
    else if ("pause" in act) commands.push({ kind: "pause", today, to: datesOf(act.pause, today) });
    else {
      settings = act.move;
      const to = todayOf(now, settings);
      if (to !== today) commands.push({ kind: "move", today, to });
    }
  }
  return { rules, start: todayOf(start, first), commands };
}

function datesOf(pause: Pause | null, today: string): PauseDates {
  if (pause === null) return { paused_from: null, paused_through: null };
  const paused_from = addDays(today, pause.begin);
  return { paused_from, paused_through: pause.length === null ? null : addDays(paused_from, pause.length) };
}

function todayOf(instant: number, { zone, dayStart }: DaySettings): string {
  if (typeof zone === "string") return localDay(instant, zone, dayStart);
  return dateOfDay(Math.floor(dayNumber("1970-01-01") + (instant + (zone - dayStart) * hour) / (24 * hour)));
}
