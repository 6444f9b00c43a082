import { addDays, localTime, resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { firstOccurrence } from "../../../shared/domain/todo/recurrence.ts";
import type { RecurrenceStart, TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { later } from "./forms/calendar.ts";
import { type Clock, wallTime } from "./forms/clock.ts";
import { hoursMeant, sayHour } from "./forms/hours.ts";
import type { Hour, Said } from "./forms/phrase.ts";
import { ruleEnding } from "./forms/repeat-rule.ts";

/** The fields of a todo that a line sets; null for those that it does not mention. */
export type TodoFields = Readonly<{
  due_date: string | null;
  due_time: string | null;
  /** Wall time. */
  remind_at: string | null;
  time_of_day: TimeOfDay | null;
  recurrence: string | null;
  recurrence_from: RecurrenceStart | null;
  estimated_minutes: number | null;
  context: string | null;
  category: string | null;
  is_important: boolean;
}>;

/** The first hours of a day at which a reminder without a time may ring. */
const usualHours: readonly Hour[] = [
  { hour: 9, minute: 0 },
  { hour: 18, minute: 0 },
];

/** Possible hours of the due time and of the reminder, the likely one first. */
export function hoursOf(
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
    context: said.context ?? null,
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
