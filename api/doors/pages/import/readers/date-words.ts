type Words = readonly [
  every: string,
  day: string,
  week: string,
  month: string,
  year: string,
  today: string,
  tomorrow: string,
  at: string,
];

/** Words of dates in the languages of Todoist, as parts of regular expressions. */
const languages: Readonly<Record<string, Words>> = {
  da: ["hver|hvert|alle", "dage?", "uger?", "måned(?:er)?", "år", "i dag", "i morgen", "kl|klokken"],
  de: ["jede[nrsm]?|alle", "tage?n?", "wochen?", "monate?n?", "jahre?n?", "heute", "morgen", "um"],
  es: ["cada|tod[oa]s l[oa]s", "d[ií]as?", "semanas?", "mes(?:es)?", "años?", "hoy", "mañana", "a las?"],
  fi: [
    "joka|jokainen",
    "päivää?",
    "viikkoa?",
    "kuukau(?:si|tta)",
    "vuo(?:si|tta)",
    "tänään",
    "huomenna",
    "klo",
  ],
  fr: [
    "chaque|tou(?:te)?s les",
    "jours?",
    "semaines?",
    "mois",
    "an(?:s|nées?)?",
    "aujourd'hui",
    "demain",
    "à",
  ],
  it: [
    "ogni|tutt[ie] (?:i|gli|le)",
    "giorn[oi]",
    "settiman[ae]",
    "mes[ei]",
    "ann[oi]",
    "oggi",
    "domani",
    "alle",
  ],
  ja: ["毎", "日", "週間?", "[かヶ]?月", "年", "今日", "明日", "に"],
  ko: ["매|마다", "일", "주", "개?월|달", "년", "오늘", "내일", "에"],
  nl: [
    "elke?|iedere?",
    "dag(?:en)?",
    "we(?:ek|ken)",
    "maand(?:en)?",
    "ja(?:ar|ren)",
    "vandaag",
    "morgen",
    "om",
  ],
  pl: [
    "każd\\p{L}+|co",
    "d(?:zień|ni|nia)",
    "ty(?:dzień|god\\p{L}+)",
    "miesi\\p{L}+",
    "rok|lata?",
    "dzi(?:ś|siaj)",
    "jutro",
    "o",
  ],
  pt: [
    "cada|tod[oa]s?(?: [oa]s?)?",
    "dias?",
    "semanas?",
    "m[eê]s(?:es)?",
    "anos?",
    "hoje",
    "amanhã",
    "[àa]s",
  ],
  ru: [
    "кажд\\p{L}+",
    "день|дн[яе]й?",
    "недел\\p{L}+",
    "месяц\\p{L}*",
    "год\\p{L}*|лет",
    "сегодня",
    "завтра",
    "в",
  ],
  sv: [
    "varje|vart?",
    "dag(?:ar)?",
    "veck(?:a|or)",
    "månad(?:er)?",
    "år",
    "idag|i dag",
    "i ?morgon",
    "kl|klockan",
  ],
  tr: ["her", "gün", "hafta", "ay", "yıl", "bugün", "yarın", "saat"],
  zh: ["每个?", "[天日]", "[周週]|星期", "个?月", "年", "今天", "明天", "在"],
};

const english = ["every", "day", "week", "month", "year", "today", "tomorrow", "at"];
/** Their characters have no blanks between words. */
const unspaced: readonly string[] = ["ja", "ko", "zh"];

const cjkDate = /(?:(\d{4})[年년] ?)?(\d{1,2})[月월] ?(\d{1,2})[日일]/g;

type Replacement = readonly [pattern: RegExp, by: string];
const known = new Map<string, readonly Replacement[]>();

/** Puts a date of Todoist into English, word by word. Words of no date stay. */
export function inEnglish(text: string, language: string): string {
  const code = language.slice(0, 2).toLowerCase().replace("tw", "zh");
  const words = languages[code];
  if (!words) return text;
  const all = known.get(code) ?? replacementsOf(code, words);
  known.set(code, all);
  const plain = text
    .toLowerCase()
    .replace(cjkDate, (_, year = "", month, day) => `${day} ${monthNames[month - 1] ?? month} ${year}`)
    .replace(/(\d)[日일]/g, "$1");
  return all
    .reduce((now, [pattern, by]) => now.replace(pattern, by), plain)
    .replace(/(\d)\.(?!\d)/g, "$1")
    .replace(/\s+(?:(?:uhr|h)\b)?\s*/g, " ")
    .replace(/(?<=every )(?:week )(?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)/g, "")
    .replace(/(?<=every month )(\d{1,2})\b/g, "on the $1th")
    .replace(/(?<=\d )(day|week|month|year)\b/g, "$1s")
    .trim();
}

function replacementsOf(code: string, words: Words): readonly Replacement[] {
  const [before, after] = unspaced.includes(code) ? ["", ""] : ["(?<!\\p{L})", "(?!\\p{L})"];
  const whole = (pattern: string, by: string): Replacement => [
    new RegExp(`${before}(?:${pattern})\\.?${after}`, "gu"),
    ` ${by} `,
  ];
  const named = (form: Intl.DateTimeFormatOptions, part: "month" | "weekday", date: number) => {
    const parts = new Intl.DateTimeFormat(code, { ...form, timeZone: "UTC" }).formatToParts(date);
    const name =
      parts
        .find(({ type }) => type === part)
        ?.value.toLowerCase()
        .replace(/\.$/, "") ?? "";
    return name.replace("-feira", "(?:-feiras?)?");
  };
  const forms = ["long", "short"] as const;
  // A month stands beside a number; Spanish "mar" is Tuesday or March.
  const months = Array.from({ length: 12 }, (_, month): Replacement => {
    const names = forms.flatMap((length) =>
      [{ month: length }, { month: length, day: "numeric" } as const].map((form) =>
        named(form, "month", Date.UTC(2026, month, 1)),
      ),
    );
    const own = names.filter((name) => !/^\d/.test(name)).join("|");
    return [
      new RegExp(`(?<=\\d\\.? ?(?:de )?)(?:${own || "-"})\\.?(?!\\p{L})`, "gu"),
      ` ${monthNames[month]}`,
    ];
  });
  const weekdays = Array.from({ length: 7 }, (_, day) => day).flatMap((day) => {
    const date = Date.UTC(2026, 10, 23 + day);
    const [long = "", short = ""] = forms.map((length) => named({ weekday: length }, "weekday", date));
    const stem = /^\p{L}{5,}$/u.test(long) && before !== "" ? `${long.slice(0, -1)}\\p{L}*` : long;
    // The one sign of a weekday in Japanese or Korean is also a unit.
    return [stem.replace(/曜日$/, "曜日?"), short].map((name) => [name, weekdayNames[day]] as const);
  });
  const longFirst = weekdays
    .filter(([name]) => name.length > 1)
    .sort(([one], [other]) => other.length - one.length);
  return [
    ...months,
    ...longFirst.map(([name, by = ""]) => whole(name, by)),
    ...words.map((pattern, index) => whole(pattern, english[index] ?? "")),
  ];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
