/** Reading a line of this length takes a few milliseconds; a longer one is not read. */
export const longestLine = 300;

/** A word of a line, in lower case and without a full stop, with its position. */
export type LineWord = Readonly<{ text: string; start: number; end: number }>;

/** The value of some words, and the index of the word after them; undefined if they mean nothing. */
export type FoundWords<Value> = readonly [value: Value, next: number] | undefined;
export type Reader<Value> = (words: readonly LineWord[], at: number) => FoundWords<Value>;

export function wordsOf(text: string): readonly LineWord[] {
  return Array.from(text.matchAll(/[,&]|[^\s,&]+/g), ({ 0: written, index }) => {
    const bare = written.replace(/[.;:?]+$/, "");
    return { text: bare.toLowerCase(), start: index, end: index + bare.length };
  });
}

/** A value found in a text, and the rest of the text. */
export type Part<Value> = Readonly<{ value: Value | undefined; rest: string }>;

export const nothingIn = (text: string): Part<never> => ({ value: undefined, rest: text });

/** A text without a part; the words around it stay separate. */
export const without = (text: string, { start, end }: Readonly<{ start: number; end: number }>): string =>
  `${text.slice(0, start)} ${text.slice(end)}`;

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

/** Reads one or several, as in `Mon, Wed and Fri`. */
export function listOf<Value>(read: Reader<Value>): Reader<readonly Value[]> {
  return (words, at) => {
    let found = read(words, at);
    const values: Value[] = [];
    for (let next = at; ; ) {
      if (!found) return values.length > 0 ? [values, next] : undefined;
      values.push(found[0]);
      next = found[1];
      const joined = skip(words, skip(words, next, ","), "and", "&", "or");
      found = joined > next ? read(words, joined) : undefined;
    }
  };
}

const spelled = (forms: readonly (readonly string[])[]): ReadonlyMap<string, number> =>
  new Map(forms.flatMap((names, index) => names.map((name) => [name, index + 1] as const)));

/** 1 is Monday. */
export const weekdays = spelled([
  ["mon", "monday", "mondays"],
  ["tue", "tues", "tuesday", "tuesdays"],
  ["wed", "wednesday", "wednesdays"],
  ["thu", "thur", "thurs", "thursday", "thursdays"],
  ["fri", "friday", "fridays"],
  ["sat", "saturday", "saturdays"],
  ["sun", "sunday", "sundays"],
]);

export const months = spelled([
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

const numbers = spelled([
  ["one", "once"],
  ["two", "twice"],
  ["three"],
  ["four"],
  ["five"],
  ["six"],
  ["seven"],
]);

const ordinals = new Map([
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
