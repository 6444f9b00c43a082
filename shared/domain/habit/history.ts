import { dateOfDay, dayNumber } from "../day/day.ts";
import type { FreeDays } from "./free-days.ts";
import { type Rules, sameDemand } from "./rhythm.ts";

/** An edit of the rules. Completions of later days can precede it, because a change of zone can move today back. */
export type Edit = Readonly<{
  /** The user's today at the edit. */
  on: string;
  /** Its time (ISO 8601). */
  at: string;
  /** The rules before it. */
  until: Rules;
  /** The days from `on` on that had been completed before it. */
  after: readonly string[];
}>;

/** Everything that ever happened to a habit and counts for its streak, as its row has it, with its present rules. */
export type HabitHistory = Rules &
  FreeDays &
  Readonly<{
    /** The day of the first bit of `done_days`; null before the first completion. */
    done_from?: string | null | undefined;
    /** One bit for each day, `1` if it was completed: ten years take 456 bytes in a row. */
    done_days: string;
    /** In the order of the commands. */
    edits: readonly Edit[];
    /** Days that a change of zone or day start skipped or shortened. */
    neutral_dates: readonly string[];
    /** Today after the latest of these changes: neutral days from it on came again, and pass like any other. */
    moved_to?: string | null | undefined;
  }>;

/** The number of days before today that can be completed, undone or skipped. */
export const daysBack = 366;

/** The number of days before today that a list of habits shows. */
export const daysShown = 7;

/** The number of days ahead that can be skipped. */
export const daysAhead = 30;

/** The columns of a habit to which nothing has happened. */
export const noHistory: Pick<HabitHistory, "edits" | "pauses"> &
  Record<"skipped_dates" | "neutral_dates", string[]> &
  Readonly<{ done_from: null; done_days: string; moved_to: null }> = {
  done_from: null,
  done_days: "",
  edits: [],
  pauses: [],
  skipped_dates: [],
  neutral_dates: [],
  moved_to: null,
};

const one = "1".charCodeAt(0);

/** All completed days in order. */
export function doneDays({ done_from, done_days }: HabitHistory): number[] {
  const first = done_from == null ? 0 : dayNumber(done_from);
  const days: number[] = [];
  for (let at = 0; at < done_days.length; at++) if (done_days.charCodeAt(at) === one) days.push(first + at);
  return days;
}

export function isDoneOn({ done_from, done_days }: HabitHistory, date: string): boolean {
  return done_from != null && done_days.charAt(dayNumber(date) - dayNumber(done_from)) === "1";
}

type DoneColumns = Pick<HabitHistory, "done_from" | "done_days">;

/** @param days in any order */
export function doneColumns(days: readonly number[]): DoneColumns {
  if (days.length === 0) return { done_from: null, done_days: "" };
  const first = days.reduce((least, day) => Math.min(least, day));
  const last = days.reduce((most, day) => Math.max(most, day));
  const bits = new Array<string>(last - first + 1).fill("0");
  for (const day of days) bits[day - first] = "1";
  return { done_from: dateOfDay(first), done_days: bits.join("") };
}

type DayColumns = DoneColumns & Pick<HabitHistory, "edits">;

/** The history with one more completed day. A completion that an undo brings back has its old place among the edits. */
export function completed(history: HabitHistory, date: string, completedAt: string): DayColumns {
  const { done_from, done_days } = history;
  const at = done_from == null ? -1 : dayNumber(date) - dayNumber(done_from);
  const bits = () => `${done_days.slice(0, at).padEnd(at, "0")}1${done_days.slice(at + 1)}`;
  return {
    ...(at < 0 ? doneColumns([...doneDays(history), dayNumber(date)]) : { done_from, done_days: bits() }),
    edits: history.edits.map((edit) => {
      const isBefore = edit.on <= date && Date.parse(completedAt) < Date.parse(edit.at);
      return isBefore ? { ...edit, after: [...edit.after, date].sort() } : edit;
    }),
  };
}

/** The history as if that day had never been completed. The bits begin and end with a completed day. */
export function withoutDone(history: HabitHistory, date: string): DayColumns {
  const { done_from, done_days } = history;
  const edits = history.edits.map((edit) => ({ ...edit, after: edit.after.filter((day) => day !== date) }));
  if (done_from == null || !isDoneOn(history, date)) return { done_from, done_days, edits };
  const start = dayNumber(done_from);
  const at = dayNumber(date) - start;
  const bits = `${done_days.slice(0, at)}0${done_days.slice(at + 1)}`;
  const first = bits.indexOf("1");
  if (first === -1) return { done_from: null, done_days: "", edits };
  const days = bits.slice(first, bits.lastIndexOf("1") + 1);
  return { done_from: dateOfDay(start + first), done_days: days, edits };
}

/** More edits on one day are put together. It bounds a history, even if a program edits without end. */
const mostEdits = 16;

/** The edits with a new one today, unless the new rules demand the same. */
export function edited(history: HabitHistory, to: Rules, today: string, at: string): readonly Edit[] {
  const { frequency, schedule, grace_days, edits } = history;
  if (sameDemand(history, to)) return edits;
  const first = dayNumber(today);
  const after = doneDays(history)
    .filter((day) => day >= first)
    .map(dateOfDay);
  const all = [...edits, { on: today, at, until: { frequency, schedule, grace_days }, after }];
  return all.length > mostEdits ? withoutDirectEdits(all) : all;
}

/** An edit with no completion since the one before it, on the same day, only replaces the rules. */
function withoutDirectEdits(edits: readonly Edit[]): Edit[] {
  const places = editPlaces({ edits });
  return edits.filter((_, index) => {
    const [place, before] = [places[index], places[index - 1]];
    return place?.on !== before?.on || place?.isAfterDone !== before?.isAfterDone;
  });
}

/** The day from which an edit counts, and whether it comes after that day's completion. */
export type EditPlace = Readonly<{ on: number; isAfterDone: boolean }>;

/** Edits never run back: after today moved back, one counts from the latest day completed or edited before it. */
export function editPlaces({ edits }: Pick<HabitHistory, "edits">): EditPlace[] {
  const before = new Set<number>();
  let on = 0;
  return edits.map((edit) => {
    for (const date of edit.after) before.add(dayNumber(date));
    on = Math.max(on, dayNumber(edit.on), ...before);
    return { on, isAfterDone: before.has(on) };
  });
}

/** The neutral days as of today. One that came again counts like any other as soon as it is over. */
export const neutralDates = (
  { neutral_dates, moved_to }: Pick<HabitHistory, "neutral_dates" | "moved_to">,
  today: string,
): string[] => neutral_dates.filter((date) => date < (moved_to ?? "") || date >= today);

/** The history after a change of zone or day start: the days from the old today up to the new one are neutral. */
export function moved(
  history: HabitHistory,
  oldToday: string,
  newToday: string,
): Readonly<{ neutral_dates: string[]; moved_to: string }> {
  const neutral = new Set(neutralDates(history, oldToday));
  for (let day = dayNumber(oldToday); day < dayNumber(newToday); day++) neutral.add(dateOfDay(day));
  return { neutral_dates: [...neutral].sort(), moved_to: newToday };
}
