import { localTime } from "../../../../shared/domain/day/day.ts";
import { months, numbers, partsOfDay, weekdays } from "../../../../shared/domain/todo/quick-add-words.ts";
import {
  type Hour,
  hourOf,
  minutesBetween,
  numberSaid,
  type Reading,
  type Recogniser,
  wordChoice,
  wordsLike,
} from "./phrase.ts";

/**
 * Zone names that people write after a time. Summer and winter names mean the same zone, because people mix them
 * up.
 */
const zones: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ utc: "UTC", gmt: "UTC", bst: "Europe/London", cet: "Europe/Berlin", cest: "Europe/Berlin" },
    ...{ est: "America/New_York", edt: "America/New_York", cst: "America/Chicago", cdt: "America/Chicago" },
    ...{ mst: "America/Denver", mdt: "America/Denver" },
    ...{ pst: "America/Los_Angeles", pdt: "America/Los_Angeles" },
  }),
);

type Groups = Readonly<Record<string, string | undefined>>;

const lead =
  "(?:(?:at|by|around|(?<!\\b(?:h|hrs?|hours?|mins?|minutes?|nights?|days?) )before|until|due at|due by|due) |@ ?)";
const zone = `(?: ?(?<zone>${wordChoice(zones.keys())}))?`;
const half = "(?: ?(?<half>[ap])(?:\\.m\\.?|m))";

/** A bare number is a time only after a day, and if no noun follows that it could count. */
const day = `${wordChoice(weekdays.keys())}|${wordChoice(partsOfDay.keys())}|today|tomorrow|tmrw?|tonight`;
const behindDay = `(?<=\\b(?:${day}|(?:${wordChoice(months.keys())}) \\d{1,2}(?:st|nd|rd|th)?),? )`;
const nothingBehind = `(?=[\\s.,;!?)]*$| (?:${day}|on|every|remind)\\b|,? [#@])`;
const isBehindDay = new RegExp(`${behindDay}$`, "i");
const isBeforeNothing = new RegExp(`^${nothingBehind}`, "i");

const spelled = `\\d{1,2}|${wordChoice(numbers.keys())}`;

const oneTime = [
  `${lead}?(?<hour>\\d{1,2})(?:[:.](?<minute>\\d\\d))?${half}${zone}`,
  `${lead}?(?<hour>\\d{1,2}):(?<minute>\\d\\d)${zone}`,
  `${lead}?(?<hour>\\d{1,2}) ?o['’]?clock`,
  `${lead}?(?<past>half|(?:a )?quarter) past (?<hour>${spelled})${half}?`,
  `${lead}?(?:a )?quarter (?<to>to) (?<hour>${spelled})${half}?`,
  "at (?<hour>[01]\\d|2[0-3])(?<minute>[0-5]\\d)",
  `${lead}(?<hour>\\d{1,2})h(?<minute>\\d\\d)?`,
  `at (?<hour>\\d{1,2})\\.(?<minute>\\d\\d)`,
  `${lead}(?<hour>\\d{1,2})(?:ish|${zone})`,
  `${behindDay}(?<hour>[89]|1\\d|2[0-3])h(?<minute>\\d\\d)?`,
  `${behindDay}(?<hour>\\d{1,2})(?:ish)?${nothingBehind}`,
];

const twoTimes = `(?<lead>${lead}|from )?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?${half}?(?: ?[-–] ?| (?<joint>to|till|until|or|and) )(?:at )?(?<hour2>\\d{1,2})(?::(?<minute2>\\d\\d))?${half.replace("half", "half2")}?`;

const clock = "\\d{1,2}(?::\\d\\d)? ?[ap]m";
const oneOfMany = "\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?";

const named = new Map<string, Hour>([
  ["noon", { hour: 12, minute: 0 }],
  ["midday", { hour: 12, minute: 0 }],
  // The end of the named day, because a due date includes its day.
  ["midnight", { hour: 23, minute: 59 }],
]);

const whole = (hour: Hour | undefined): Reading | undefined => hour && { says: { hour }, manner: "whole" };

export const times: readonly Recogniser[] = [
  {
    pattern: wordsLike(`${lead}?(?<name>${wordChoice(named.keys())})`),
    read: ({ groups = {} }) => whole(named.get(groups.name?.toLowerCase() ?? "")),
  },
  ...oneTime.map((form) => ({
    pattern: wordsLike(form),
    read: ({ groups = {} }: RegExpExecArray) => whole(timeIn(groups)),
  })),
  {
    pattern: wordsLike(twoTimes),
    read({ groups = {}, index, input, 0: text }) {
      const { lead: before, minute, half: half1, minute2, half2 } = groups;
      const isSecond = minute2 || half2 || isBeforeNothing.test(input.slice(index + text.length));
      const isFirst =
        before || minute || half1 || minute2 || half2 || isBehindDay.test(input.slice(0, index));
      return isFirst && isSecond ? twoHours(groups) : undefined;
    },
  },
  {
    // A todo has one time, so each of `8am, 2pm and 8pm` is asked.
    pattern: wordsLike(
      `${lead}?${clock}(?: ${clock})+|${lead}?${oneOfMany}(?:(?:,| ?/) ?${oneOfMany})+(?:,? (?:and|&) ${oneOfMany})?`,
    ),
    read({ 0: text }) {
      const hours = Array.from(text.matchAll(/(\d{1,2})(?::(\d\d))?(?: ?([ap])m)?/gi));
      const [says, ...or] = hours.flatMap(
        ([, hour, minute, half]) => whole(hourOf({ hour, minute, half }))?.says ?? [],
      );
      return says && /[:m]/i.test(text) ? { says, or, manner: "offered", isAsked: true } : undefined;
    },
  },
  {
    pattern: wordsLike(
      `(?:in|within) (?<many>\\d{1,4}(?:\\.\\d)?|an?|half an|${wordChoice(numbers.keys())})(?<more> and a half)?(?: ?(?<hours>hours?|hrs?|h)(?<half> and a half)?(?:,? (?:and )?(?<rest>\\d{1,2}) ?m(?:in(?:ute)?s?)?)?| ?min(?:ute)?s?)`,
    ),
    read({ groups = {} }, { now, timeZone }) {
      const { many = "", hours, more, half: halfBehind, rest = 0 } = groups;
      const whole = /^half/i.test(many) ? 0.5 : /^[\d.]+$/.test(many) ? Number(many) : numberSaid(many);
      const minutes = (whole + (more || halfBehind ? 0.5 : 0)) * (hours ? 60 : 1) + Number(rest);
      const wall = localTime(now + minutes * 60_000, timeZone);
      const hour = { hour: Number(wall.slice(11, 13)), minute: Number(wall.slice(14, 16)) };
      return { says: { date: wall.slice(0, 10), hour }, manner: "whole" };
    },
  },
];

function timeIn({ hour: written, minute, half: of, zone: name, past, to }: Groups): Hour | undefined {
  const zone = name && zones.get(name.toLowerCase());
  if (!past && !to) return hourOf({ hour: written, minute, half: of, zone });
  const named = numberSaid(written);
  const hour = to ? (named === 1 ? 12 : named - 1) : named;
  const minutes = to ? "45" : /half/i.test(past ?? "") ? "30" : "15";
  return hourOf({ hour: String(hour), minute: minutes, half: of });
}

/** A range has a beginning and minutes. For `9 or 10` the second is a question; `8am and 8pm` fits no field. */
function twoHours({ joint, ...groups }: Groups): Reading | undefined {
  const to = hourOf({ hour: groups.hour2, minute: groups.minute2, half: groups.half2 });
  const from = timeIn({ ...groups, half: groups.half ?? groups.half2 });
  const early = timeIn(groups);
  if (!to || !from || !early) return undefined;
  const isLater = 60 * from.hour + from.minute > 60 * to.hour + to.minute;
  const hour = isLater && !groups.half && groups.half2 ? { ...early, isOpen: false } : from;
  if (joint === "or") return { says: { hour }, manner: "whole", or: [{ hour: to }] };
  if (joint === "and") return { says: { hour }, manner: "offered", or: [{ hour: to }], isAsked: true };
  const minutes = minutesBetween(hour, to);
  return minutes === 0 ? undefined : { says: { hour, minutes }, manner: "whole" };
}

const mostMinutes = 100_000;

/** `10min`, `2h`, `1h30`, `1.5 hours`, `for 2 hours`; but neither `every 2 hours` nor `2 hours ago`. */
export const minutes: Recogniser = {
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
