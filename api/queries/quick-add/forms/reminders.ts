import { hourOf } from "./hours.ts";
import { type Recogniser, wordsLike } from "./phrase.ts";
import { numberSaid } from "./spans.ts";

const remind = "(?:and )?(?:(?:please )?remind me|reminder|with a reminder)";

const minutesOf: Readonly<Record<string, number | undefined>> = { m: 1, h: 60, d: 1_440, w: 10_080 };

/** Phrases that ask for a reminder. */
export const reminders: readonly Recogniser[] = [
  {
    pattern: wordsLike(`${remind}(?: to| that| about| of)?`),
    read: () => ({ says: { asksReminder: true }, manner: "whole" }),
  },
  {
    pattern: wordsLike(
      `${remind} (?:at|@) ?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?: ?(?<half>[ap])(?:\\.m\\.?|m))?`,
    ),
    read({ groups = {} }) {
      const remindHour = hourOf({ hour: groups.hour, minute: groups.minute, half: groups.half });
      return remindHour && { says: { remindHour }, manner: "whole" };
    },
  },
  {
    pattern: wordsLike(
      `${remind} (?<many>\\d{1,3}|an?|half an|the) ?(?<unit>m|h|d|w)(?:in(?:ute)?s?|rs?|ours?|ays?|eeks?)? (?:before(?:hand)?|earlier|prior|ahead|in advance)`,
    ),
    read({ groups: { many = "", unit = "" } = {} }) {
      const number = /half/i.test(many) ? 0.5 : /the/i.test(many) ? 1 : numberSaid(many);
      return { says: { remindBefore: number * (minutesOf[unit.toLowerCase()] ?? 1) }, manner: "whole" };
    },
  },
];
