import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import {
  type FoundWords,
  type LineWord,
  nothingIn,
  numberAt,
  type Part,
  skip,
  without,
  wordsOf,
} from "../../../shared/domain/todo/quick-add-words.ts";
import type { TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { findRepeat } from "./repeat.ts";
import { dayOfCode, partsOfRule } from "./repeat-rule.ts";

type Rhythm = Pick<Rules, "frequency" | "schedule">;

/** The rhythm of a habit. */
type RhythmInText = Readonly<{ rhythm: Rhythm; timeOfDay: TimeOfDay | undefined }>;

/** `3 times a week`, `twice a week`, `3x/week`; else a repetition that a habit can have. */
export function findRhythm(text: string): Part<RhythmInText> {
  const times = findTimes(text);
  if (times.value) return { value: { rhythm: times.value, timeOfDay: undefined }, rest: times.rest };
  const { value: repeat, rest } = findRepeat(text);
  const rhythm = repeat && rhythmOfRule(repeat.rule);
  return rhythm ? { value: { rhythm, timeOfDay: repeat.timeOfDay }, rest } : nothingIn(text);
}

/** A number of times in each week, which only a habit can have. */
export function findTimes(text: string): Part<Rhythm> {
  const words = wordsOf(text);
  for (const [at, { start }] of words.entries()) {
    const [times = 0, next = 0] = timesAt(words, at) ?? [];
    const end = words[next - 1]?.end;
    if (times < 1 || times > 7 || end === undefined) continue;
    return { value: timesAWeek(times), rest: without(text, { start, end }) };
  }
  return nothingIn(text);
}

const timesAWeek = (times: number): Rhythm =>
  times === 1
    ? { frequency: "weekly", schedule: null }
    : { frequency: "custom", schedule: { times_per_week: times } };

function timesAt(words: readonly LineWord[], at: number): FoundWords<number> {
  const [short, x, perWeek] = /^(\d)x(\/week)?$/.exec(words[at]?.text ?? "") ?? [];
  if (short !== undefined && perWeek) return [Number(x), at + 1];
  const number: FoundWords<number> = short === undefined ? numberAt(words, at) : [Number(x), at + 1];
  if (!number) return undefined;
  const [times, next] = number;
  const isSaid = short !== undefined || /^(once|twice)$/.test(words[at]?.text ?? "");
  const counted = skip(words, next, "times", "time");
  const week = skip(words, counted, "a", "per", "each", "every");
  if ((counted === next && !isSaid) || week === counted) return undefined;
  return words[week]?.text === "week" ? [times, week + 1] : undefined;
}

const mostDays = 365;

/** @returns undefined for a rule that no habit can have, such as a monthly one */
function rhythmOfRule(rule: string): Rhythm | undefined {
  const parts = partsOfRule(rule);
  const interval = Number(parts.get("INTERVAL") ?? 1);
  const isWeekly = parts.get("FREQ") === "WEEKLY";
  if (!isWeekly && parts.get("FREQ") !== "DAILY") return undefined;
  const days = parts.get("BYDAY");
  if (days !== undefined)
    return interval === 1
      ? { frequency: "custom", schedule: { weekdays: days.split(",").map(dayOfCode) } }
      : undefined;
  if (interval === 1) return { frequency: isWeekly ? "weekly" : "daily", schedule: null };
  const every_days = isWeekly ? 7 * interval : interval;
  return every_days <= mostDays ? { frequency: "custom", schedule: { every_days } } : undefined;
}
