/** "Every" and "at" in the languages of Todoist, as parts of regular expressions; Intl has the other words. */
const own: Readonly<Record<string, readonly [every: string, at: string]>> = {
  da: ["hver|hvert|alle", "kl|klokken"],
  de: ["jede[nrsm]?|alle", "um"],
  es: ["cada|tod[oa]s l[oa]s", "a las?"],
  fi: ["joka|jokainen", "klo"],
  fr: ["chaque|tou(?:te)?s les", "à"],
  it: ["ogni|tutt[ie] (?:i|gli|le)", "alle"],
  ja: ["毎", "に"],
  ko: ["매|마다", "에"],
  nl: ["elke?|iedere?", "om"],
  pl: ["każd\\p{L}+|co", "o"],
  pt: ["cada|tod[oa]s?(?: [oa]s?)?", "[àa]s"],
  ru: ["кажд\\p{L}+", "в"],
  sv: ["varje|vart?", "kl|klockan"],
  tr: ["her", "saat"],
  zh: ["每个?", "在"],
};

/** Their characters have no blanks between words. */
const isUnspaced = (code: string): boolean => ["ja", "ko", "zh"].includes(code);

type Replacement = readonly [pattern: RegExp, by: string];
const known = new Map<string, readonly Replacement[]>();

/** Puts a date of Todoist into English, word by word. Words of no date stay. */
export function inEnglish(text: string, language: string): string {
  const code = language.slice(0, 2).toLowerCase().replace("tw", "zh");
  if (!(code in own)) return text;
  const all = known.get(code) ?? replacementsOf(code);
  known.set(code, all);
  const plain = text
    .toLowerCase()
    .replace(cjkDate, (_, year = "", month, day) => `${day} ${monthNames[month - 1] ?? month} ${year}`)
    .replace(/(\d)[日일]/g, "$1");
  return all
    .reduce((now, [pattern, by]) => now.replace(pattern, by), plain)
    .replace(/(\d)\.(?!\d)/g, "$1")
    .replace(/-feiras?\b/g, "")
    .replace(/\s+(?:(?:uhr|h)\b)?\s*/g, " ")
    .replace(/(?<=every )(?:week )(?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)/g, "")
    .replace(/(?<=every month )(\d{1,2})\b/g, "on the $1th")
    .replace(/(?<=\d )(day|week|month|year)\b/g, "$1s")
    .trim();
}

const cjkDate = /(?:(\d{4})[年년] ?)?(\d{1,2})[月월] ?(\d{1,2})[日일]/g;

function replacementsOf(code: string): readonly Replacement[] {
  const [every = "", at = ""] = own[code] ?? [];
  const [before, after] = isUnspaced(code) ? ["", ""] : ["(?<!\\p{L})", "(?!\\p{L})"];
  const whole = (pattern: string, by: string): Replacement => [
    new RegExp(`${before}(?:${pattern})\\.?${after}`, "gu"),
    ` ${by} `,
  ];
  const relative = new Intl.RelativeTimeFormat(code, { numeric: "auto" });
  const nearDay = (days: number, by: string) => whole(relative.format(days, "day").replace("’", "['’]"), by);
  return [
    ...monthNames.map((by, month) => monthOf(code, month, by)),
    ...weekdaysOf(code).map(([name, by]) => whole(name, by)),
    ...[nearDay(0, "today"), nearDay(1, "tomorrow"), nearDay(-1, "yesterday")],
    ...[whole(every, "every"), whole(at, "at")],
    ...units.map((unit) => whole(formsOf(code, unit).join("|"), unit)),
  ];
}

const units = ["day", "week", "month", "year"] as const;

/** The endings of cases and plurals are left open. */
const stemOf = (name: string): string =>
  name.length >= 5 ? `${name.slice(0, -1)}\\p{L}{0,3}` : `${name}\\p{L}{0,2}`;

function formsOf(code: string, unit: (typeof units)[number]): string[] {
  const names = new Intl.DisplayNames(code, { type: "dateTimeField" });
  const counted = new Intl.NumberFormat(code, { style: "unit", unit, unitDisplay: "long" });
  const parts = [1, 2, 5].flatMap((count) => counted.formatToParts(count));
  const found = parts.flatMap(({ type, value }) => (type === "unit" ? [value] : []));
  const forms = new Set(
    [names.of(unit === "week" ? "weekOfYear" : unit) ?? "", ...found].map((name) => name.toLowerCase()),
  );
  const longFirst = [...forms].sort((one, other) => other.length - one.length);
  return isUnspaced(code) ? longFirst : longFirst.map(stemOf);
}

/** The names of a month or weekday, long and short, alone and beside a day. */
function namesIn(code: string, part: "month" | "weekday", date: number): string[] {
  const forms = (["long", "short"] as const).flatMap((length) =>
    [{}, { day: "numeric" } as const].map((day) => ({ ...day, [part]: length })),
  );
  const parts = forms.flatMap((form) =>
    new Intl.DateTimeFormat(code, { ...form, timeZone: "UTC" }).formatToParts(date),
  );
  const names = parts.filter(({ type }) => type === part).map(({ value }) => value.toLowerCase());
  return [...new Set(names.map((name) => name.replace(/\.$|-feira$/, "")))];
}

/** A month stands beside a number; Spanish "mar" is Tuesday or March. */
function monthOf(code: string, month: number, by: string): Replacement {
  const names = namesIn(code, "month", Date.UTC(2026, month, 1)).filter((name) => !/^\d/.test(name));
  return [new RegExp(`(?<=\\d\\.? ?(?:de )?)(?:${names.join("|") || "-"})\\.?(?!\\p{L})`, "gu"), ` ${by}`];
}

/** The one sign of a weekday in Japanese or Korean is also a unit. */
const weekdaysOf = (code: string) =>
  weekdayNames
    .flatMap((by, day) =>
      namesIn(code, "weekday", Date.UTC(2026, 10, 23 + day)).map((name) => ({ name, by })),
    )
    .filter(({ name }) => name.length > 1)
    .sort((one, other) => other.name.length - one.name.length)
    .map(
      ({ name, by }) =>
        [/^\p{L}{5,}$/u.test(name) ? stemOf(name) : name.replace(/曜日$/, "曜日?"), by] as const,
    );

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
