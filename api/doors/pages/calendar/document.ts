import { localTime, msPerDay, resolveLocalTime, timestamp } from "../../../../shared/domain/day/day.ts";
import { successor } from "../../../../shared/domain/todo/recurrence.ts";
import { mapGivingWay } from "../../../../shared/process/give-way.ts";
import type { FeedTodo } from "../../../queries/calendar/read.ts";

/** The reminder of a todo, if it will ring. */
const alarmLines = ({ title, remind_at }: FeedTodo): string[] =>
  remind_at === null ? [] : alarm(`TRIGGER;VALUE=DATE-TIME:${utcTime(timestamp(remind_at))}`, title);

/**
 * Later todos of the series have the same reminder: its wall-clock distance from their due time or day is that of
 * the first.
 */
function seriesAlarmLines({ title, remind_at, due_date, due_time }: FeedTodo, timeZone: string): string[] {
  if (remind_at === null) return [];
  const wall = localTime(Date.parse(timestamp(remind_at)), timeZone);
  const minutes = Math.round(
    (Date.parse(`${wall}Z`) - Date.parse(`${due_date}T${due_time ?? "00:00"}Z`)) / 60_000,
  );
  return alarm(`TRIGGER:${minutes < 0 ? "-" : ""}PT${Math.abs(minutes)}M`, title);
}

const alarm = (trigger: string, title: string): string[] => [
  "BEGIN:VALARM",
  "ACTION:DISPLAY",
  trigger,
  textLine("DESCRIPTION", title),
  "END:VALARM",
];

/** Series in the feed follow the zone's clock for this long. */
const years = 10;

/**
 * A time zone (RFC 5545 §3.6.5) from an instant on: first the offset, then each change of its clock. Each change
 * has its own lines, because ical.js reads only one date of RDATE.
 */
export function timeZoneLines(timeZone: string, instant: number): string[] {
  const start = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  const end = start.add({ years }).epochMilliseconds;
  const offset = start.offsetNanoseconds;
  const lines = observanceLines("19700101T000000", offset, offset);
  for (let at = changeAfter(start); at && at.epochMilliseconds < end; at = changeAfter(at)) {
    const before = at.subtract({ nanoseconds: 1 }).offsetNanoseconds;
    const local = new Date(at.epochMilliseconds + before / 1e6).toISOString().slice(0, 19);
    lines.push(...observanceLines(local.replaceAll(/[-:]/g, ""), before, at.offsetNanoseconds));
  }
  return ["BEGIN:VTIMEZONE", `TZID:${timeZone}`, ...lines, "END:VTIMEZONE"];
}

const changeAfter = (time: Temporal.ZonedDateTime): Temporal.ZonedDateTime | null =>
  time.getTimeZoneTransition("next");

/** @param local the time of the change by the clock before it */
function observanceLines(local: string, before: number, after: number): string[] {
  const name = after > before ? "DAYLIGHT" : "STANDARD";
  return [
    `BEGIN:${name}`,
    `DTSTART:${local}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${name}`,
  ];
}

/** `+0530`; present zones have whole minutes. */
function offsetText(nanoseconds: number): string {
  const minutes = Math.abs(Math.round(nanoseconds / 6e10));
  const digits = [Math.floor(minutes / 60), minutes % 60].map((number) => String(number).padStart(2, "0"));
  return `${nanoseconds < 0 ? "-" : "+"}${digits.join("")}`;
}

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

/** The lines of an iCalendar object (RFC 5545 §3.1). Kept chooses names and parameters; texts are a person's. */

const mostOctets = 75;

/** A property with a text as its value. */
const textLine = (name: string, text: string): string => `${name}:${escaped(text)}`;

/** Escapes a text (§3.3.11) and removes characters that no line may have. */
const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n/g, "\\n")
    .replace(/[^\P{Cc}\t]/gu, "");

/** Joins lines and folds long ones, at octets of UTF-8 and never within a character. */
const joinLines = (lines: readonly string[]): string => lines.map((line) => `${folded(line)}\r\n`).join("");

function folded(line: string): string {
  const octets = Buffer.from(line);
  if (octets.length <= mostOctets) return line;
  const parts: string[] = [];
  for (let from = 0; from < octets.length; ) {
    // The blank at the beginning of a further line counts as one of its octets.
    let end = from + mostOctets - (from === 0 ? 0 : 1);
    while (isWithinCharacter(octets[end])) end -= 1;
    parts.push(octets.toString("utf8", from, end));
    from = end;
  }
  return parts.join("\r\n ");
}

const isWithinCharacter = (octet = 0): boolean => (octet & 0xc0) === 0x80;

/** Dates and times as lines have them (RFC 5545 §3.3). */

const bare = (text: string): string => text.replaceAll(/[-:]/g, "");

/** An instant (RFC 3339 in UTC) to the second: `20261201T133000Z`. */
const utcTime = (instant: string): string => `${bare(instant.slice(0, 19))}Z`;

const dateLine = (name: string, date: string): string => `${name};VALUE=DATE:${bare(date)}`;

/** The instant of a due time, which is the same for every reader. */
const instantOf = (date: string, time: string, timeZone: string): string =>
  utcTime(new Date(resolveLocalTime(`${date}T${time}`, timeZone)).toISOString());

/** A wall time, which a repetition keeps when the zone's clock changes. */
const wallTimeLine = (
  name: string,
  { date, time, timeZone }: Readonly<{ date: string; time: string; timeZone: string }>,
): string => `${name};TZID=${timeZone}:${bare(`${date}T${time}`)}00`;
