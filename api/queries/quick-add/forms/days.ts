import { addDays } from "../../../../shared/domain/day/day.ts";
import { partsOfDay } from "../../../../shared/domain/todo/quick-add-words.ts";
import { nextDate } from "./calendar.ts";
import { dayForms, type Groups } from "./day-forms.ts";
import { type Reading, type Recogniser, type Said, wordChoice, wordsLike } from "./phrase.ts";

const lead =
  "due by|due on|due|by|on|before|after|starting on|starting from|starting|beginning|from|until|till|through|ending";
const part = wordChoice(partsOfDay.keys());

/** Days of every year: name, month, day. */
const holidays = new Map<string, readonly [month: number, day: number]>([
  ...["christmas eve", "xmas eve"].map((name) => [name, [12, 24]] as const),
  ...["christmas day", "christmas", "xmas"].map((name) => [name, [12, 25]] as const),
  ...["new year's eve", "new year’s eve", "new years eve"].map((name) => [name, [12, 31]] as const),
  ...["new year's day", "new year’s day", "new years day"].map((name) => [name, [1, 1]] as const),
  ...["valentine's day", "valentine’s day", "valentines day"].map((name) => [name, [2, 14]] as const),
  ["halloween", [10, 31]],
]);

const holiday: Recogniser = {
  pattern: wordsLike(`(?:(?<lead>${lead}|at) )?(?<name>${wordChoice(holidays.keys())})`),
  read({ groups = {} }, { today }) {
    const [month, day = 0] = holidays.get(groups.name?.toLowerCase() ?? "") ?? [];
    const date = nextDate({ day, month: String(month) }, today);
    return date === undefined ? undefined : led({ date }, groups, { manner: "bare", isAsked: true });
  },
};

/** Phrases of days, with the word before them and the part of the day after them. */
export const days: readonly Recogniser[] = [
  holiday,
  ...dayForms.map(
    ({ form, manner = "whole", isAsked, says }): Recogniser => ({
      pattern: wordsLike(
        `(?:(?<lead>${lead}) )?(?:(?:the )?(?:end of day|eod|cob) (?:on )?)?(?:${form})(?: (?<part>${part}))?`,
      ),
      read({ groups = {}, 0: text }, clock) {
        const [first, ...others] = says(groups, clock).flatMap((one) => {
          const said: Said = typeof one === "string" ? { date: one } : (one ?? {});
          return Object.keys(said).length === 0 ? [] : [withPart(said, groups.part)];
        });
        if (!first) return undefined;
        const isClear = manner === "beside" && (others.length === 0 || groups.year !== undefined);
        const reading = led(first, groups, { manner: isClear ? "bare" : manner, or: others });
        return { ...reading, isAsked: isAsked ?? (manner === "offered" || isLongName(text)) };
      },
    }),
  ),
];

/** Short names such as `sun` and `mon` are ordinary words as well. */
const isLongName = (text: string): boolean => text.length > 4;

const withPart = (said: Said, name: string | undefined): Said =>
  name === undefined ? said : { ...said, part: partsOfDay.get(name.toLowerCase()) };

/** The meaning that a word before a day gives it: `before Friday` is Thursday, `until Friday` ends a repetition. */
function led(
  { date, ...said }: Said,
  { lead: word = "", part: of }: Groups,
  reading: Omit<Reading, "says">,
): Reading {
  const kind = word.toLowerCase();
  const manner = (kind !== "" || of !== undefined) && reading.manner !== "offered" ? "whole" : reading.manner;
  const or = (reading.or ?? []).filter((other) => other.date !== date);
  if (date === undefined) return { ...reading, manner, or, says: said };
  if (/^(until|till|through|ending)$/.test(kind))
    return { ...reading, manner, or: [], says: { until: date } };
  const shift = kind === "before" ? -1 : kind === "after" ? 1 : 0;
  return { ...reading, manner, or, says: { ...said, date: addDays(date, shift) } };
}
