import { Type } from "typebox";
import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { schemasOf, withUsual } from "../../../shared/contracts/kernel/declared-fields.ts";
import { todoTags } from "../../../shared/contracts/todo/fields.ts";
import { addDays, localTime, resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { longestLine } from "../../../shared/domain/todo/quick-add-words.ts";
import { firstOccurrence, parseRecurrence } from "../../../shared/domain/todo/recurrence.ts";
import type { HabitType } from "../../../shared/domain/vocabulary.ts";
import { type QueryHandler, readDaySettings } from "../engine/context.ts";
import { type Clock, type Hour, hoursMeant, later, type Said, sayHour, wallTime } from "./forms/phrase.ts";
import { isOften, rhythmOfRule, ruleEnding } from "./forms/rule.ts";
import { type ReadLine, readLine, tidyTitle, titleWithout } from "./read-line.ts";
import { sayRepeat } from "./say-repeat.ts";

type Answer = OutputOf<Queries["quick-add.get"]>;
type HabitFields = NonNullable<Answer["habit"]> & Pick<Answer, "category">;

/** The fields of a todo that a line sets; null for those that it does not mention. A reminder has its wall time. */
type TodoFields = Omit<NonNullable<Answer["todo"]>, "title"> & Pick<Answer, "category" | "remind_at">;

/** The fields that differ in another meaning of the same words. */
type TodoChoice = Readonly<{ label: string } & Partial<{ title: string } & TodoFields>>;

type Choice = Readonly<{ says: Said; title?: string | undefined }>;

function choicesOf(line: string, read: ReadLine, clock: Clock): readonly TodoChoice[] {
  const base: Readonly<Record<string, unknown>> = fieldsSaid(read.says, line, clock);
  const choices = [...otherPhrases(line, read), ...otherHours(line, read, clock)];
  return choices.flatMap(({ says, title }): TodoChoice[] => {
    const fields = fieldsSaid({ ...read.says, ...says }, line, clock);
    const changed = Object.entries(fields).filter(([name, value]) => value !== base[name]);
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
function labelOf({ date, hour, remindHour, rule }: Said, fields: TodoFields): string {
  if (remindHour) return sayHour(remindHour);
  const day = rule ? sayRepeat(rule) : date || !hour ? sayDay(fields.due_date ?? "") : "";
  const time = hour ? (fields.due_time ?? fields.remind_at?.slice(11)) : "";
  return [day, time].filter(Boolean).join(" ");
}

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

const sayDay = (date: string): string => dayFormat.format(new Date(date)).replace(",", "");

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
  const readAs = (kind: typeof saysKind) =>
    line.length > longestLine ? plain(text) : readLine(text, clock, kind);
  const read = readAs(saysKind);
  if (saysKind === "habit" || read.says.rhythm) return habitOf(readAs("habit"), type, clock);
  const mayBeHabit = saysKind === "any" && line.length <= longestLine;
  const alternatives = [
    ...choicesOf(text, read, clock),
    ...(mayBeHabit ? habitChoices(text, read, clock) : []),
  ];
  return { kind: "todo", title: read.title, ...fieldsSaid(read.says, text, clock), alternatives };
}

const plain = (text: string): ReadLine => ({ phrases: [], asked: [], title: tidyTitle(text), says: {} });

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

export const readLineInWords: QueryHandler<"quick-add.get"> = async (query, { line }) => {
  const { timeZone, today } = await readDaySettings(query);
  const quick = readQuickAdd(line, { now: query.now, timeZone, today: today.date });
  const { alternatives, category } = quick;
  const common = { today: today.date, time_zone: timeZone, category, alternatives: [...alternatives] };
  if (quick.kind === "habit") {
    const { kind: _, alternatives: __, category: ___, ...habit } = quick;
    return { ...common, todo: null, habit, remind_at: null };
  }
  const { kind: _, alternatives: __, category: ___, remind_at, ...todo } = quick;
  return { ...common, todo, habit: null, remind_at };
};

/** The first hours of a day at which a reminder without a time may ring. */
const usualHours: readonly Hour[] = [
  { hour: 9, minute: 0 },
  { hour: 18, minute: 0 },
];

/** Possible hours of the due time and of the reminder, the likely one first. */
function hoursOf(
  said: Said,
  line: string,
  clock: Clock,
): Readonly<{ due: readonly Hour[]; remind: readonly Hour[] }> {
  const meant = (hour: Hour | undefined) => (hour ? hoursMeant(hour, said.part, line) : []);
  if (said.remindHour) return { due: meant(said.hour), remind: meant(said.remindHour) };
  if (!said.asksReminder) return { due: meant(said.hour), remind: [] };
  if (said.hour) return { due: [], remind: meant(said.hour) };
  const coming = usualHours.filter(
    (hour) => said.rule || !isOver(said.date ?? clock.today, sayHour(hour), clock),
  );
  return { due: [], remind: coming.length > 0 ? coming : usualHours };
}

const isOver = (date: string, time: string, clock: Clock): boolean => `${date}T${time}` <= wallTime(clock);

const TagsInWords = Type.Object(schemasOf(todoTags, "shown"));

export function fieldsSaid(said: Said, line: string, clock: Clock): TodoFields {
  const { due, remind } = hoursOf(said, line, clock);
  const [dueHour] = due;
  const [remindHour] = remind;
  const first = dueHour ?? remindHour;
  const due_date = dueDate(said, first && sayHour(first), clock);
  const at = due_date !== null && dueHour ? inZone(`${due_date}T${sayHour(dueHour)}`, dueHour, clock) : null;
  const date = at?.slice(0, 10) ?? due_date;
  return {
    due_date: date,
    due_time: at?.slice(11) ?? null,
    remind_at: date === null ? null : remindAt(said, { date, at, remindHour }),
    time_of_day: said.part ?? null,
    recurrence: said.rule === undefined ? null : ruleIn(said, said.rule, date),
    recurrence_from: said.fromCompletion ? "completion" : null,
    estimated_minutes: said.minutes ?? null,
    ...withUsual(TagsInWords, todoTags, said),
    category: said.category ?? null,
    is_important: said.isImportant ?? false,
  };
}

/** The named day, the first day of the repetition, or for a time alone the day on which it comes next. */
function dueDate({ date, rule }: Said, time: string | undefined, clock: Clock): string | null {
  if (date !== undefined) return date;
  const { today } = clock;
  const from = time !== undefined && isOver(today, time, clock) ? addDays(today, 1) : today;
  // "Every other Monday" begins on the next Monday.
  if (rule !== undefined) return firstOccurrence(rule.replace(/;INTERVAL=\d+/, ""), from);
  return time === undefined ? null : from;
}

/** Converts a time in a zone to the person's wall time. */
const inZone = (wall: string, { zone }: Hour, { timeZone }: Clock): string =>
  zone === undefined ? wall : localTime(resolveLocalTime(wall, zone), timeZone).slice(0, 16);

type Due = Readonly<{ date: string; at: string | null; remindHour: Hour | undefined }>;

/** A time alone is also a reminder. A reminder of some days before needs no due time. */
function remindAt({ remindBefore }: Said, { date, at, remindHour }: Due): string | null {
  if (remindBefore !== undefined) return minutesBefore(at ?? `${date}T09:00`, remindBefore);
  return remindHour ? `${date}T${sayHour(remindHour)}` : at;
}

const minutesBefore = (wall: string, minutes: number): string =>
  Temporal.PlainDateTime.from(wall).subtract({ minutes }).toString({ smallestUnit: "minute" });

function ruleIn({ until, lasts, count }: Said, rule: string, start: string | null): string {
  if (count !== undefined) return ruleEnding(rule, `COUNT=${count}`);
  const last = lasts && start !== null ? addDays(later(start, lasts), -1) : until;
  return last === undefined ? rule : ruleEnding(rule, `UNTIL=${last.replaceAll("-", "")}`);
}

type RepeatField = Readonly<{ rule: string; fromCompletion: boolean }>;

const ofRepeat: readonly string[] = ["rule", "fromCompletion", "until", "lasts", "count"];

/** Reads a text that holds only a repetition, in words or as an RRULE. */
export function readRepeat(text: string, clock: Clock): RepeatField | Readonly<{ error: string }> {
  if (/freq=/i.test(text)) {
    const parsed = parseRecurrence(text);
    return "error" in parsed ? parsed : { rule: parsed.rule, fromCompletion: false };
  }
  if (text.length > longestLine) return notUnderstood;
  const { title, says } = readLine(text, clock, "todo");
  const { recurrence } = fieldsSaid(says, text, clock);
  const isMore = title !== "" || Object.keys(says).some((field) => !ofRepeat.includes(field));
  return recurrence === null || isMore
    ? notUnderstood
    : { rule: recurrence, fromCompletion: says.fromCompletion === true };
}

const notUnderstood = {
  error: "Kept does not understand this. Write it like: every Monday, every 2 weeks, every month on the 1st.",
};
