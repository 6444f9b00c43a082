import { fieldsSaid, hoursOf, type TodoFields } from "./fields.ts";
import type { Clock } from "./forms/clock.ts";
import { sayHour } from "./forms/hours.ts";
import type { Hour, Said } from "./forms/phrase.ts";
import type { ReadLine } from "./read-line.ts";
import { sayRepeat } from "./say-repeat.ts";
import { titleWithout } from "./take.ts";

/** The fields that differ in another meaning of the same words. */
export type TodoChoice = Readonly<{ label: string } & Partial<{ title: string } & TodoFields>>;

type Choice = Readonly<{ says: Said; title?: string | undefined }>;

/** All other meanings of a todo's line. */
export function choicesOf(line: string, read: ReadLine, clock: Clock): readonly TodoChoice[] {
  const base = fieldsSaid(read.says, line, clock);
  const choices = [...otherPhrases(line, read), ...otherHours(line, read, clock)];
  return choices.flatMap(({ says, title }): TodoChoice[] => {
    const fields = fieldsSaid({ ...read.says, ...says }, line, clock);
    const changed = Object.entries(fields).filter(
      ([name, value]) => value !== base[name as keyof TodoFields],
    );
    const all = {
      ...Object.fromEntries(changed),
      ...(title !== undefined && title !== read.title && { title }),
    };
    return changed.length === 0 ? [] : [{ label: labelOf(says, fields), ...all }];
  });
}

function otherPhrases(line: string, read: ReadLine): readonly Choice[] {
  const taken = read.phrases.flatMap(({ or = [] }) => or.map((says) => ({ says })));
  const asked = read.asked.flatMap((phrase) => {
    const title = titleWithout(line, read, phrase);
    return [phrase.says, ...(phrase.or ?? [])].map((says) => ({ says, title }));
  });
  return [...taken, ...asked];
}

function otherHours(line: string, { says }: ReadLine, clock: Clock): readonly Choice[] {
  const { due, remind } = hoursOf(says, line, clock);
  const closed = (hour: Hour): Hour => ({ ...hour, isOpen: false });
  const dues = due.slice(1).map((hour) => ({ says: { hour: closed(hour) } }));
  const reminds = remind.slice(1).map((hour) => ({ says: { remindHour: closed(hour) } }));
  return [...dues, ...reminds];
}

/** A chip's text: the time, the repetition or the day. */
function labelOf({ hour, remindHour, rule }: Said, fields: TodoFields): string {
  if (remindHour) return sayHour(remindHour);
  if (hour) return fields.due_time ?? fields.remind_at?.slice(11) ?? "";
  if (rule) return sayRepeat(rule);
  return sayDay(fields.due_date ?? "");
}

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

const sayDay = (date: string): string => dayFormat.format(new Date(date)).replace(",", "");
