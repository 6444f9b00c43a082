import type { Rules, Schedule } from "../../../shared/domain/habit/schedule.ts";
import { longestLine } from "../../../shared/domain/todo/quick-add-words.ts";
import type { HabitType, TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { fieldsSaid, hoursOf, type TodoFields } from "./fields.ts";
import type { Clock } from "./forms/clock.ts";
import { sayHour } from "./forms/hours.ts";
import type { Hour, Said } from "./forms/phrase.ts";
import { isOften, rhythmOfRule } from "./forms/rhythm.ts";
import { type ReadLine, readLine } from "./read-line.ts";
import { sayRepeat } from "./say-repeat.ts";
import { tidyTitle, titleWithout } from "./take.ts";

/** The fields that differ in another meaning of the same words. */
type TodoChoice = Readonly<{ label: string } & Partial<{ title: string } & TodoFields>>;

type Choice = Readonly<{ says: Said; title?: string | undefined }>;

/** All other meanings of a todo's line. */
function choicesOf(line: string, read: ReadLine, clock: Clock): readonly TodoChoice[] {
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

type HabitFields = Readonly<{
  name: string;
  type: HabitType;
  frequency: Rules["frequency"];
  schedule: Schedule | null;
  time_of_day: TimeOfDay | null;
  /** The time of its reminder. */
  remind_at: string | null;
  category: string | null;
}>;

/** Another meaning of a line: a label, and the fields that differ, or the habit that it may be. */
type Alternative = TodoChoice | Readonly<{ label: string; habit: Omit<HabitFields, "category"> }>;

/** A line of words as the input of a new todo. */
export type QuickTodo = Readonly<{ kind: "todo"; title: string; alternatives: readonly Alternative[] }> &
  TodoFields;

/** The same for a habit, which is daily unless the line has a rhythm. */
export type QuickHabit = Readonly<{ kind: "habit"; alternatives: readonly Alternative[] }> & HabitFields;

/**
 * Reads a line such as `Pay rent every month on the 1st at 9 #Home @desk 10min`, as docs/quick-add.md describes.
 * Other words stay in the title or name, and so does a whole line that is too long. It never throws.
 * @param wanted todo or habit, if known; else the line decides
 */
export function readQuickAdd(line: string, clock: Clock, wanted?: "todo" | "habit"): QuickTodo | QuickHabit {
  const [lead = "", bad, noun] = /^\s*(?:(bad\s+)?(habit)(?=\s|:|$)\s*:?|todo\s*:)/i.exec(line) ?? [];
  const text = line.slice(lead.length);
  const type = bad === undefined ? "good" : "bad";
  const saysKind = wanted ?? (noun !== undefined ? "habit" : lead === "" ? "any" : "todo");
  if (line.length > longestLine)
    return saysKind === "habit" ? habitOf(plain(text), type, clock) : longTodo(text, clock);
  const read = readLine(text, clock, saysKind);
  if (saysKind === "habit" || read.says.rhythm) return habitOf(readLine(text, clock, "habit"), type, clock);
  const alternatives = [
    ...choicesOf(text, read, clock),
    ...(saysKind === "any" ? habitChoices(text, read, clock) : []),
  ];
  return { kind: "todo", title: read.title, ...fieldsSaid(read.says, text, clock), alternatives };
}

const plain = (text: string): ReadLine => ({ phrases: [], asked: [], title: tidyTitle(text), says: {} });

const longTodo = (text: string, clock: Clock): QuickTodo => ({
  ...{ kind: "todo", title: tidyTitle(text), alternatives: [] },
  ...fieldsSaid({}, "", clock),
});

function habitOf({ title, says }: ReadLine, type: HabitType, clock: Clock): QuickHabit {
  const { due, remind } = hoursOf(says, title, clock);
  const hour = remind[0] ?? due[0];
  return {
    ...{ kind: "habit", name: title, type, frequency: "daily", schedule: null },
    ...(says.rhythm ?? (says.rule === undefined ? undefined : rhythmOfRule(says.rule))),
    time_of_day: says.part ?? null,
    remind_at: hour ? sayHour(hour) : null,
    category: says.category ?? null,
    alternatives: [],
  };
}

/** Words with which people say that they give something up. */
const avoiding = /^\s*(?:no|quit|stop|avoid|don['’]?t|never|give up) \p{L}/iu;

/** A frequent todo, or one that gives something up, may be meant as a habit. */
function habitChoices(text: string, { says, asked }: ReadLine, clock: Clock): readonly Alternative[] {
  const rules = [says.rule, ...asked.map((phrase) => phrase.says.rule)].filter((rule) => rule !== undefined);
  const isBad = avoiding.test(text) && says.date === undefined;
  if (!isBad && !rules.some(isOften)) return [];
  const read = readLine(text, clock, "habit");
  const { kind: _, alternatives: __, category: ___, ...habit } = habitOf(read, isBad ? "bad" : "good", clock);
  return habit.name === "" ? [] : [{ label: isBad ? "habit to avoid" : "habit", habit }];
}
