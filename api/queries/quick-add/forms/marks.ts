import { partsOfDay } from "../../../../shared/domain/todo/quick-add-words.ts";
import { type Recogniser, wordsLike } from "./phrase.ts";
import { amount, numberSaid, spanOf } from "./spans.ts";

const mark = (sign: "#" | "@", field: "category" | "context"): Recogniser => ({
  pattern: new RegExp(`(?<=^|[\\s(])${sign}(?:"([^"]*[^"\\s][^"]*)"|(\\p{L}[^\\s"]*(?<![.,;:!?)])))`, "gu"),
  read: ([, quoted, word = ""]) => ({ says: { [field]: (quoted ?? word).trim() }, manner: "mark" }),
});

/** A mark of its own word; `Hurry!` stays a title. */
const importance: Recogniser = {
  pattern: /(?<=^|\s)(?:!{1,3}|!!1|p1)(?=\s|$)/gi,
  read: () => ({ says: { isImportant: true }, manner: "mark" }),
};

const mostMinutes = 100_000;

/** `10min`, `2h`, `1h30`, `1.5 hours`, `for 2 hours`; but neither `every 2 hours` nor `2 hours ago`. */
const minutes: Recogniser = {
  pattern: wordsLike(
    "(?<!\\b(?:in|every|after|within|last|next|past|ev) )(?<for>for )?~?(?:(?<hours>\\d{1,3}(?:\\.\\d)?|(?<=for )an) ?h(?:rs?|ours?)?(?: ?(?<rest>\\d{1,2})(?: ?min)?)?|(?<minutes>\\d{1,5}) ?min(?:ute)?s?)(?! (?:ago|later|before|after|from)\\b)",
  ),
  read({ groups = {} }) {
    const hours = groups.hours === "an" ? 1 : Number(groups.hours ?? 0);
    const value = Math.round(60 * hours) + Number(groups.rest ?? groups.minutes ?? 0);
    if (value < 1 || value > mostMinutes) return undefined;
    return { says: { minutes: value }, manner: groups.for ? "whole" : "bare" };
  },
};

/** `in the morning`; other parts of the day belong to a day or to a repetition. */
const part: Recogniser = {
  pattern: wordsLike("in the (morning|afternoon|evening)s?|at night"),
  read: ([, name = "night"]) => ({ says: { part: partsOfDay.get(name.toLowerCase()) }, manner: "whole" }),
};

/** The end of a repetition, `for 6 weeks` or `5 times`. */
const ends: readonly Recogniser[] = [
  {
    pattern: wordsLike(`for (?:the next )?${amount}`),
    read: ({ groups = {} }) => ({ says: { lasts: spanOf(groups.many, groups.unit) }, manner: "whole" }),
  },
  {
    pattern: wordsLike("(?:for )?([1-9]\\d{0,2}) times"),
    read: ([, many]) => ({ says: { count: numberSaid(many) }, manner: "whole" }),
  },
];

export const otherMarks: readonly Recogniser[] = [
  mark("#", "category"),
  mark("@", "context"),
  importance,
  minutes,
  part,
  ...ends,
];
