import type { TimeOfDay } from "../vocabulary.ts";

/** A line of this length takes a few milliseconds; longer ones are not read. */
export const longestLine = 300;

/** A word of a line, in lower case and without a full stop, with its position. */
export type LineWord = Readonly<{ text: string; start: number; end: number }>;

/** The value of some words, and the index of the word after them; undefined if they mean nothing. */
export type FoundWords<Value> = readonly [value: Value, next: number] | undefined;
export type Reader<Value> = (words: readonly LineWord[], at: number) => FoundWords<Value>;

export function wordsOf(text: string): readonly LineWord[] {
  return Array.from(text.matchAll(/[,&]|[^\s,&()]+/g)).flatMap(({ 0: written, index }): LineWord[] => {
    const bare = /^every!$/i.test(written) ? written : written.replace(/[.;:?!]+$/, "");
    const word = { text: bare.toLowerCase(), start: index, end: index + bare.length };
    return partsOfWord(word) ?? [word];
  });
}

/** `Tue/Thu`, `mon-wed-fri`, `M/W/F`, `MWF` and `2nd/4th` as words with a slash between them; else undefined. */
function partsOfWord({ text, start, end }: LineWord): LineWord[] | undefined {
  const letters = joinedLetters.get(text)?.split(" ");
  const names = letters ?? text.split(/[/+]|(?<=[a-z])[-–](?=[a-z])/);
  const days = names.map((name) => weekdays.get(name) ?? dayLetters.get(name));
  // `m/f` and `mon-fri` are no lists.
  const isList = names.length > 2 || (/[/+]/.test(text) && names.some(({ length }) => length > 1));
  const isRead = days.every(Boolean) || names.every((name) => /^\d{1,2}(st|nd|rd|th)$/.test(name));
  if (!letters && (names.length === 1 || !isList || !isRead)) return undefined;
  const texts = names.map(
    (name, at) => [...weekdays.keys()].find((one) => weekdays.get(one) === days[at]) ?? name,
  );
  return texts
    .flatMap((name, at) => (at === 0 ? [name] : ["/", name]))
    .map((one) => ({ text: one, start, end }));
}

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
      const joined = skip(words, skip(words, next, ","), "and", "&", "+", "/");
      const again = joined > next ? skip(words, joined, "every", "each", "on") : joined;
      found = isLoose || joined > next ? read(words, again) : undefined;
    }
  };
}

/** Names by their number from 1 on. A comma begins the next one, and a blank another name of the same. */
const numbered = (names: string): ReadonlyMap<string, number> =>
  new Map(
    names.split(", ").flatMap((same, index) => same.split(" ").map((name) => [name, index + 1] as const)),
  );

/** 1 is Monday. Common misspellings are among them. */
export const weekdays = numbered(
  `mon monday mondays, tue tues tuesday tuesdays tusday teusday, \
wed weds wednesday wednesdays wensday wednsday wendesday, thu thur thurs thursday thursdays thurday thrusday, \
fri friday fridays firday, sat saturday saturdays saterday satuday, sun sunday sundays`,
);

/** Weekdays in letters, for example `T/Th` and `MWF`. */
const dayLetters = numbered("m mo, t tu, w we, th, f fr, sa, su");
const joinedLetters = new Map([
  ...["m w f", "t th", "tu th", "m t w th", "m t w th f"].map(
    (days) => [days.replaceAll(" ", ""), days] as const,
  ),
  ["m-f", "m t w th f"],
]);

export const partsOfDay = new Map<string, TimeOfDay>([
  ...["morning", "mornings"].map((name) => [name, "morning"] as const),
  ...["afternoon", "afternoons"].map((name) => [name, "afternoon"] as const),
  ...["evening", "evenings", "night", "nights"].map((name) => [name, "evening"] as const),
]);

/** The same behind a day, as in `sat am`. */
export const partsBehindDay = new Map<string, TimeOfDay>([
  ...partsOfDay,
  ["am", "morning"],
  ["pm", "afternoon"],
]);

export const months = numbered(
  `january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, \
october oct, november nov, december dec`,
);

export const numbers = numbered(
  "one once, two twice, three, four, five, six, seven, eight, nine, ten, eleven, twelve",
);

export const ordinals = new Map([...numbered("first, second, third, fourth, fifth"), ["last", -1]]);

/** A whole number in digits, or one up to twelve in words. */
export const numberAt: Reader<number> = (words, at) => {
  const text = words[at]?.text ?? "";
  const number = /^\d{1,4}$/.test(text) ? Number(text) : numbers.get(text);
  return number === undefined ? undefined : [number, at + 1];
};

/** `1st`, `third`, `2nd last` or, as -1, `last`. */
export const ordinalAt: Reader<number> = (words, at) => {
  const text = words[at]?.text ?? "";
  const digits = /^(\d{1,2})(st|nd|rd|th)$/.exec(text)?.[1];
  const number = digits === undefined ? ordinals.get(text) : Number(digits);
  if (number === undefined) return undefined;
  const last = skip(words, at + 1, "to");
  return number > 0 && words[last]?.text === "last" ? [-number, last + 1] : [number, at + 1];
};
