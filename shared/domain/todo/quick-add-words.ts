import type { TimeOfDay } from "../vocabulary.ts";

/** A line of this length takes a few milliseconds; longer ones are not read. */
export const longestLine = 300;

/** A word of a line, in lower case and without a full stop, with its position. */
export type LineWord = Readonly<{ text: string; start: number; end: number }>;

/** The value of some words, and the index of the word after them; undefined if they mean nothing. */
export type FoundWords<Value> = readonly [value: Value, next: number] | undefined;
export type Reader<Value> = (words: readonly LineWord[], at: number) => FoundWords<Value>;

export function wordsOf(text: string): readonly LineWord[] {
  return Array.from(text.matchAll(/[,&]|[^\s,&()]+/g), ({ 0: written, index }) => {
    const bare = /^every!$/i.test(written) ? written : written.replace(/[.;:?!]+$/, "");
    return { text: bare.toLowerCase(), start: index, end: index + bare.length };
  });
}

/** Reads one of the words of a map. */
export const wordOf =
  <Value>(known: ReadonlyMap<string, Value>): Reader<Value> =>
  (words, at) => {
    const value = known.get(words[at]?.text ?? "");
    return value === undefined ? undefined : [value, at + 1];
  };

/** The index after an optional word. */
export const skip = (words: readonly LineWord[], at: number, ...texts: readonly string[]): number =>
  texts.includes(words[at]?.text ?? "") ? at + 1 : at;

/**
 * Reads one or several, as in `Mon, Wed and Fri`.
 * @param isLoose true if a space may separate them, as in `Mon Wed Fri`
 */
export function listOf<Value>(read: Reader<Value>, isLoose = false): Reader<readonly Value[]> {
  return (words, at) => {
    let found = read(words, at);
    const values: Value[] = [];
    for (let next = at; ; ) {
      if (!found) return values.length > 0 ? [values, next] : undefined;
      values.push(found[0]);
      next = found[1];
      const joined = skip(words, skip(words, next, ","), "and", "&");
      found = isLoose || joined > next ? read(words, joined) : undefined;
    }
  };
}

const numbered = (forms: readonly (readonly string[])[]): ReadonlyMap<string, number> =>
  new Map(forms.flatMap((names, index) => names.map((name) => [name, index + 1] as const)));

/** 1 is Monday. Common misspellings are among them. */
export const weekdays = numbered([
  ["mon", "monday", "mondays"],
  ["tue", "tues", "tuesday", "tuesdays", "tusday", "teusday"],
  ["wed", "weds", "wednesday", "wednesdays", "wensday", "wednsday", "wendesday"],
  ["thu", "thur", "thurs", "thursday", "thursdays", "thurday", "thrusday"],
  ["fri", "friday", "fridays", "firday"],
  ["sat", "saturday", "saturdays", "saterday", "satuday"],
  ["sun", "sunday", "sundays"],
]);

export const partsOfDay = new Map<string, TimeOfDay>([
  ...["morning", "mornings"].map((name) => [name, "morning"] as const),
  ...["afternoon", "afternoons"].map((name) => [name, "afternoon"] as const),
  ...["evening", "evenings", "night", "nights"].map((name) => [name, "evening"] as const),
]);

export const months = numbered([
  ["january", "jan"],
  ["february", "feb"],
  ["march", "mar"],
  ["april", "apr"],
  ["may"],
  ["june", "jun"],
  ["july", "jul"],
  ["august", "aug"],
  ["september", "sep", "sept"],
  ["october", "oct"],
  ["november", "nov"],
  ["december", "dec"],
]);

export const numbers = numbered([
  ["one", "once"],
  ["two", "twice"],
  ["three"],
  ["four"],
  ["five"],
  ["six"],
  ["seven"],
]);

export const ordinals = new Map([
  ["first", 1],
  ["second", 2],
  ["third", 3],
  ["fourth", 4],
  ["fifth", 5],
  ["last", -1],
]);

/** A whole number in digits, or one up to seven in words. */
export const numberAt: Reader<number> = (words, at) => {
  const text = words[at]?.text ?? "";
  const number = /^\d{1,4}$/.test(text) ? Number(text) : numbers.get(text);
  return number === undefined ? undefined : [number, at + 1];
};

/** `1st`, `third` or, as -1, `last`. */
export const ordinalAt: Reader<number> = (words, at) => {
  const text = words[at]?.text ?? "";
  const digits = /^(\d{1,2})(st|nd|rd|th)$/.exec(text)?.[1];
  const number = digits === undefined ? ordinals.get(text) : Number(digits);
  return number === undefined ? undefined : [number, at + 1];
};
