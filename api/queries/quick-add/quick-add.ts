import { addDays } from "../../../shared/domain/day/day.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { longestLine } from "../../../shared/domain/todo/quick-add-words.ts";
import { firstOccurrence } from "../../../shared/domain/todo/recurrence.ts";
import type { HabitType, RecurrenceStart, TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { type Clock, wallTime } from "./clock.ts";
import { findCategory, findContext, findMinutes, findTimeOfDay } from "./marks.ts";
import { ruleUntil } from "./read-repeat.ts";
import { findRepeat, type RepeatInText } from "./repeat.ts";
import { findRhythm, findTimes } from "./rhythm.ts";
import { findWhen } from "./when.ts";

/** The todo in a line of words, as its commands take it; null for fields that the line does not mention. */
export type QuickTodo = Readonly<{
  kind: "todo";
  title: string;
  due_date: string | null;
  /** Wall time. */
  remind_at: string | null;
  time_of_day: TimeOfDay | null;
  recurrence: string | null;
  recurrence_from: RecurrenceStart | null;
  estimated_minutes: number | null;
  context: string | null;
  category: string | null;
}>;

/** The same of a habit, which is due daily unless the line says otherwise. */
export type QuickHabit = Readonly<{
  kind: "habit";
  name: string;
  type: HabitType;
  frequency: Rules["frequency"];
  schedule: Rules["schedule"];
  time_of_day: TimeOfDay | null;
  category: string | null;
}>;

/**
 * Reads a line such as `Pay rent every month on the 1st at 9 #Home @desk 10min`, as docs/quick-add.md describes.
 * What it does not understand stays in the title or name, as all of a line does that is too long. It never throws.
 * @param wanted todo or habit, where that is known; else the line says it
 */
export function readQuickAdd(line: string, clock: Clock, wanted?: "todo" | "habit"): QuickTodo | QuickHabit {
  const [lead = "", bad, noun] = /^\s*(?:(bad\s+)?(habit)(?=\s|:|$)\s*:?|todo\s*:)/i.exec(line) ?? [];
  const text = line.slice(lead.length);
  const isHabit = wanted ? wanted === "habit" : noun !== undefined || (lead === "" && hasTimes(line));
  const type = bad === undefined ? "good" : "bad";
  if (line.length > longestLine) return isHabit ? plainHabit(text, type) : plainTodo(text);
  return isHabit ? readHabit(text, type) : readTodo(text, clock);
}

const hasTimes = (line: string): boolean => line.length <= longestLine && findTimes(line).value !== undefined;

function readHabit(text: string, type: HabitType): QuickHabit {
  const category = findCategory(text);
  const rhythm = findRhythm(category.rest);
  const part = findTimeOfDay(rhythm.rest);
  return {
    ...plainHabit(part.rest, type),
    ...rhythm.value?.rhythm,
    time_of_day: part.value ?? rhythm.value?.timeOfDay ?? null,
    category: category.value ?? null,
  };
}

function readTodo(text: string, clock: Clock): QuickTodo {
  const category = findCategory(text);
  const context = findContext(category.rest);
  const { value: repeat, rest: unrepeated } = findRepeat(context.rest);
  const minutes = findMinutes(unrepeated);
  const part = findTimeOfDay(minutes.rest);
  const said = { hasRepeat: repeat !== undefined, timeOfDay: part.value ?? repeat?.timeOfDay };
  const { value: when = {}, rest } = findWhen(part.rest, clock, said);
  const due_date = dueDate(when, repeat, clock);
  return {
    ...plainTodo(rest),
    due_date,
    remind_at: due_date !== null && when.time !== undefined ? `${due_date}T${when.time}` : null,
    time_of_day: said.timeOfDay ?? when.timeOfDay ?? null,
    recurrence: repeat ? ruleUntil(repeat.rule, when.until) : null,
    recurrence_from: repeat?.fromCompletion ? "completion" : null,
    estimated_minutes: minutes.value ?? null,
    context: context.value ?? null,
    category: category.value ?? null,
  };
}

/** The day that is named, or the first day of the repetition, or of a mere time the day on which it comes next. */
function dueDate(
  { date, time }: Readonly<{ date?: string | undefined; time?: string | undefined }>,
  repeat: RepeatInText | undefined,
  clock: Clock,
): string | null {
  if (date !== undefined) return date;
  const { today } = clock;
  const isOver = time !== undefined && `${today}T${time}` <= wallTime(clock);
  const from = isOver ? addDays(today, 1) : today;
  // Every other Monday begins on the next one, whichever week that is in.
  if (repeat) return firstOccurrence(repeat.rule.replace(/;INTERVAL=\d+/, ""), from);
  return time === undefined ? null : from;
}

/** The rest of a line without all other parts. The look-behind keeps a long row of commas from taking seconds. */
const nameOf = (rest: string): string =>
  rest.replace(/\s+/g, " ").replace(/^[\s,;]+|(?<![\s,;])[\s,;]+$/g, "");

const plainTodo = (rest: string): QuickTodo => ({
  kind: "todo",
  title: nameOf(rest),
  due_date: null,
  remind_at: null,
  time_of_day: null,
  recurrence: null,
  recurrence_from: null,
  estimated_minutes: null,
  context: null,
  category: null,
});

const plainHabit = (rest: string, type: HabitType): QuickHabit => ({
  kind: "habit",
  name: nameOf(rest),
  type,
  frequency: "daily",
  schedule: null,
  time_of_day: null,
  category: null,
});
