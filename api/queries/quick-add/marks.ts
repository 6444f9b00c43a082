import { nothingIn, type Part, without } from "../../../shared/domain/todo/quick-add-words.ts";
import { type TimeOfDay, timesOfDay } from "../../../shared/domain/vocabulary.ts";

const category = /(?<=^|\s)#(?:"([^"]+)"|(\p{L}[^\s"]*))/u;
const context = /(?<=^|\s)@(?:"([^"]+)"|(\p{L}[^\s"]*))/u;

/** `#Home`, `#"Home office"`. */
export const findCategory = (text: string): Part<string> => findMark(text, category);

/** `@desk`, `@"at work"`. */
export const findContext = (text: string): Part<string> => findMark(text, context);

function findMark(text: string, pattern: RegExp): Part<string> {
  const found = pattern.exec(text);
  if (!found) return nothingIn(text);
  const value = (found[1] ?? found[2] ?? "").replace(/[.,;:!?]+$/, "").trim();
  const cut = found[1] === undefined ? (found[2]?.length ?? 0) - value.length : 0;
  const end = found.index + found[0].length - cut;
  return value === "" ? nothingIn(text) : { value, rest: without(text, { start: found.index, end }) };
}

/** `10min`, `10 minutes`, `2h`, `1h30`, `1.5 hours`; but neither `in 10 minutes` nor `every 2 hours`. */
const duration =
  /(?<![\p{L}\d.,:/#@-])(?<!\b(?:in|every|after|within|last|next|past)\s+)(?:for\s+)?~?(?:(\d{1,3}(?:\.\d)?)\s?h(?:rs?|ours)?(?:\s?(\d{1,2})(?:\s?min)?)?|(\d{1,5})\s?min(?:s|utes)?|(1) hour)(?![\p{L}\d])(?!\s+(?:ago|later|before|after|from)\b)/iu;

const mostMinutes = 100_000;

export function findMinutes(text: string): Part<number> {
  const found = duration.exec(text);
  if (!found) return nothingIn(text);
  const [whole, hours, rest, minutes, oneHour] = found;
  const value = Math.round(60 * Number(hours ?? oneHour ?? 0)) + Number(rest ?? minutes ?? 0);
  if (value < 1 || value > mostMinutes) return nothingIn(text);
  return { value, rest: without(text, { start: found.index, end: found.index + whole.length }) };
}

const inThe = /\bin the (morning|afternoon|evening)s?\b/i;

/** `in the morning`; other parts of the day belong to a date or to a repetition. */
export function findTimeOfDay(text: string): Part<TimeOfDay> {
  const found = inThe.exec(text);
  const value = timesOfDay.find((time) => time === found?.[1]?.toLowerCase());
  if (!found || value === undefined) return nothingIn(text);
  return { value, rest: without(text, { start: found.index, end: found.index + found[0].length }) };
}
