import type { ParsedResult } from "chrono-node/en";
import { localTime } from "../../../shared/domain/day/day.ts";
import { nothingIn, type Part, without } from "../../../shared/domain/todo/quick-add-words.ts";
import type { TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { type Clock, momentOfDay, offsetAt } from "./clock.ts";
import { dateReader } from "./date-reader.ts";

/** The date and time in a text, as far as it has them. */
type When = Readonly<{
  date?: string | undefined;
  /** `09:00` */
  time?: string | undefined;
  timeOfDay?: TimeOfDay | undefined;
  /** The last day of a repetition. */
  until?: string | undefined;
}>;

/** A phrase that says some of it, and where it stands. */
type Phrase = When & Readonly<{ start: number; end: number }>;

/** Facts read from the line before that decide the meaning of its dates and times. */
type Said = Readonly<{ hasRepeat: boolean; timeOfDay?: TimeOfDay | undefined }>;

/** Reads the first date and the first time of a text, and the end of its repetition if it has one. */
export function findWhen(text: string, clock: Clock, { hasRepeat, timeOfDay: part }: Said): Part<When> {
  const asked = text.replace(/\b(the )?day after tomorrow\b/gi, "in 2 days");
  const phrases = phrasesIn(asked, clock, part);
  const dated = phrases.find(({ date }) => date !== undefined);
  const timed = dated?.time === undefined ? phrases.find(({ date, time }) => !date && time) : dated;
  const ending = hasRepeat ? phrases.find(({ until }) => until !== undefined) : undefined;
  const taken = phrases.filter((phrase) => [dated, timed, ending].includes(phrase));
  if (taken.length === 0) return nothingIn(text);
  const { date, timeOfDay } = dated ?? {};
  const value = { date, time: timed?.time, timeOfDay, until: ending?.until };
  return { value, rest: taken.reduceRight(without, asked) };
}

function phrasesIn(text: string, clock: Clock, part: TimeOfDay | undefined): readonly Phrase[] {
  const moment = momentOfDay(clock);
  const reference = { instant: new Date(moment), timezone: offsetAt(moment, clock.timeZone) };
  const results = dateReader.parse(text, reference, { forwardDate: true });
  return results.flatMap((result) =>
    isMeant(result) && isOfWholeWords(result, text) ? [phraseOf(result, text, clock, part)] : [],
  );
}

/** Words that name months and weekdays and have another meaning as well, when they stand alone. */
const ambiguous = /^(sun|sat|wed|march|may)$/i;

/** Leaves out what the library takes for a date by mere chance, such as `March` in `March for peace`, and ambiguous dates. */
function isMeant({ text, start }: ParsedResult): boolean {
  const tags = start.tags();
  if (ambiguous.test(text) || tags.has("parser/SlashDateFormatParser")) return false;
  if (tags.has("result/relativeDate")) return /^(in|next|this|coming) /i.test(text);
  return hasDate(start) || start.isCertain("hour") || /^this /i.test(text);
}

/** Excludes the `2 May 2027` in `2 May 20279`. */
const isOfWholeWords = ({ text, index }: ParsedResult, line: string): boolean =>
  !/[\p{L}\p{N}]{2}/u.test(line.slice(index - 1, index + 1)) &&
  !/[\p{L}\p{N}]{2}/u.test(line.slice(index + text.length - 1, index + text.length + 1));

const hasDate = (start: ParsedResult["start"]): boolean =>
  start.isCertain("day") || start.isCertain("weekday") || start.tags().has("result/relativeDate");

function phraseOf(result: ParsedResult, line: string, clock: Clock, part: TimeOfDay | undefined): Phrase {
  const { text, index, start, end } = result;
  const lead = /\b(by|due|on|at|from|starting|until|till)(\s+(on|at))?\s+$/i.exec(line.slice(0, index));
  // Only the beginning of `9 to 10` has a field, so the text keeps the range.
  const span = end ? { start: index, end: index } : { start: lead?.index ?? index, end: index + text.length };
  const wall = wallTimeOf(start, clock);
  if (!isInCalendar(wall)) return span;
  const hasTime = start.isCertain("hour");
  const date = hasDate(start) || /^this /i.test(text) ? wall.slice(0, 10) : undefined;
  if (date !== undefined && /^un|^till/i.test(lead?.[1] ?? "")) return { ...span, until: date };
  return {
    ...span,
    date,
    time: hasTime ? timeMeant(result, wall.slice(11, 16), part ?? timeOfDayIn(text)) : undefined,
    timeOfDay: hasTime ? undefined : timeOfDayIn(text),
  };
}

/** The library knows the instant of a phrase with a zone, or of `in 2 hours`; otherwise it is wall time. */
function wallTimeOf(start: ParsedResult["start"], clock: Clock): string {
  const isInstant = start.isCertain("hour") && start.isCertain("timezoneOffset");
  if (isInstant) {
    const isRelative = start.tags().has("result/relativeDate");
    const passed = isRelative ? clock.now - momentOfDay(clock) : 0;
    return localTime(start.date().getTime() + passed, clock.timeZone);
  }
  const part = (name: "year" | "month" | "day" | "hour" | "minute") => start.get(name) ?? 0;
  const date = `${padded(part("year"), 4)}-${padded(part("month"))}-${padded(part("day"))}`;
  return `${date}T${padded(part("hour"))}:${padded(part("minute"))}:00`;
}

/** `at 5` does not name the half of the day: it is the second in the afternoon and evening, and for small hours. */
function timeMeant({ text, start }: ParsedResult, time: string, part: TimeOfDay | undefined): string {
  const hour = Number(time.slice(0, 2));
  const isPlain = /\b0\d/.test(text) || start.isCertain("meridiem") || start.isCertain("timezoneOffset");
  const isSecond = part === undefined ? hour >= 1 && hour <= 6 : part !== "morning" && hour < 12;
  return isPlain || !isSecond ? time : `${hour + 12}${time.slice(2)}`;
}

const padded = (number: number, length = 2): string => String(number).padStart(length, "0");

const isInCalendar = (date: string): boolean => /^\d{4}-/.test(date) && !date.startsWith("0000");

function timeOfDayIn(text: string): TimeOfDay | undefined {
  const [part] = /morning|afternoon|evening|night/i.exec(text.toLowerCase()) ?? [];
  if (part === undefined) return undefined;
  return part === "morning" || part === "afternoon" ? part : "evening";
}
