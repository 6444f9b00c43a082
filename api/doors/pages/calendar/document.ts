import { msPerDay, timestamp } from "../../../../shared/domain/day/day.ts";
import { successor } from "../../../../shared/domain/todo/recurrence.ts";
import { mapGivingWay } from "../../../../shared/process/give-way.ts";
import type { FeedTodo } from "../../../queries/calendar/read.ts";
import { alarmLines, seriesAlarmLines } from "./alarms.ts";
import { joinLines, textLine } from "./content-lines.ts";
import { timeZoneLines } from "./time-zone.ts";
import { dateLine, instantOf, utcTime, wallTimeLine } from "./times.ts";

/** Todos as events, which every calendar has, or as tasks, which some have. */
export type FeedForm = "events" | "tasks";

/** The person's day and zone, and the host in the ids of events. */
type FeedContext = Readonly<{ today: string; timeZone: string; host: string }>;
type Feed = FeedContext & Readonly<{ form: FeedForm; todos: readonly FeedTodo[] }>;

/** For some rules the next days take milliseconds, so only the next due todos show their series. */
const mostSeries = 200;

/** Calendars show about this much of a description; a thousand whole ones would be megabytes in each answer. */
const longestDescription = 1_000;

/** An iCalendar object (RFC 5545). A todo without a due time is a whole day, which is the same in every zone. */
export async function calendarDocument({ form, todos, ...context }: Feed): Promise<string> {
  const recurring = new Set(todos.filter(({ recurrence }) => recurrence !== null).slice(0, mostSeries));
  const components = await mapGivingWay(todos, (todo) => {
    const common = commonLines(todo);
    if (form === "tasks") return joinLines(taskLines(todo, common, context));
    const own = [...dueLines("DTSTART", todo, context), ...durationLines(todo), ...common];
    return joinLines([
      ...eventLines(`todo-${todo.id}@${context.host}`, [...own, ...alarmLines(todo)]),
      ...(recurring.has(todo) ? seriesLines(todo, common, context) : []),
    ]);
  });
  const isZoned = form === "events" && recurring.values().some(({ due_time }) => due_time !== null);
  const head = joinLines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Kept//Todos//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    "X-WR-CALNAME:Kept",
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...(isZoned ? timeZoneLines(context.timeZone, Date.parse(context.today) - msPerDay) : []),
  ]);
  return [head, ...components, joinLines(["END:VCALENDAR"])].join("");
}

/** The lines of a todo in either form. Its last change is the object's timestamp, so equal feeds have equal bytes. */
function commonLines({ title, description, category_name, updated_at, created_at }: FeedTodo): string[] {
  return [
    `DTSTAMP:${utcTime(timestamp(updated_at))}`,
    `LAST-MODIFIED:${utcTime(timestamp(updated_at))}`,
    `CREATED:${utcTime(timestamp(created_at))}`,
    textLine("SUMMARY", title),
    ...(description ? [textLine("DESCRIPTION", cut(description))] : []),
    ...(category_name ? [textLine("CATEGORIES", category_name)] : []),
  ];
}

/** Cuts a text, but never within a character. */
const cut = (text: string): string =>
  text.length > longestDescription
    ? `${text.slice(0, longestDescription - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
    : text;

/** A due time is an instant, because all readers agree on it; without one it is the day. */
function dueLines(name: string, { due_date, due_time }: FeedTodo, { timeZone }: FeedContext): string[] {
  if (due_date === null) return [];
  return due_time === null
    ? [dateLine(name, due_date)]
    : [`${name}:${instantOf(due_date, due_time, timeZone)}`];
}

/** An event of a whole day has no minutes. */
const durationLines = ({ due_time, estimated_minutes }: FeedTodo): string[] =>
  due_time === null || estimated_minutes === null ? [] : [`DURATION:PT${estimated_minutes}M`];

/** Due todos do not make a person busy. */
const eventLines = (uid: string, lines: readonly string[]): string[] => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  "TRANSP:TRANSPARENT",
  ...lines,
  "END:VEVENT",
];

/**
 * The rest of a series, as if the todo were done on its day. It is an event of its own, because an event must lie
 * on its rule and a due date can be moved off it. A series that repeats from completion shows no further days.
 */
function seriesLines(
  todo: FeedTodo,
  common: readonly string[],
  { today, timeZone, host }: FeedContext,
): string[] {
  const { id, recurrence, recurrence_from, recurrence_anchor, due_date, due_time } = todo;
  if (recurrence === null || due_date === null || recurrence_from === "completion") return [];
  const anchor = recurrence_anchor ?? due_date;
  const next = successor({ rule: recurrence, anchor, recurrence_from, due_date, today });
  if (!next) return [];
  const when =
    due_time === null
      ? [dateLine("DTSTART", next.due_date), `RRULE:${next.rule}`]
      : timedSeriesLines(next, due_time, timeZone);
  const further = [...durationLines(todo), ...common, ...seriesAlarmLines(todo, timeZone)];
  return eventLines(`todo-${id}-next@${host}`, [...when, ...further]);
}

/** Wall time stays the same when the zone's clock changes. UNTIL is an instant if the start has a time (§3.3.10). */
function timedSeriesLines(
  { due_date, rule }: Readonly<{ due_date: string; rule: string }>,
  time: string,
  timeZone: string,
): string[] {
  const timedRule = rule.replace(
    /UNTIL=(\d{4})(\d\d)(\d\d)/,
    (_, ...[year, month, day]) => `UNTIL=${instantOf(`${year}-${month}-${day}`, time, timeZone)}`,
  );
  return [wallTimeLine("DTSTART", { date: due_date, time, timeZone }), `RRULE:${timedRule}`];
}

/** A repeating task has no rule: another one follows once it is done. */
const taskLines = (todo: FeedTodo, common: readonly string[], context: FeedContext): string[] => [
  "BEGIN:VTODO",
  `UID:todo-${todo.id}@${context.host}`,
  ...dueLines("DUE", todo, context),
  ...common,
  "STATUS:NEEDS-ACTION",
  ...alarmLines(todo),
  "END:VTODO",
];
