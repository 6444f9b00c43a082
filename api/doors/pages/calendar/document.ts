import { timestamp } from "../../../../shared/domain/day/timestamp.ts";
import { successor } from "../../../../shared/domain/todo/recurrence.ts";
import { mapGivingWay } from "../../../http/give-way.ts";
import type { FeedTodo } from "../../../queries/calendar/read.ts";
import { joinLines, textLine } from "./content-lines.ts";

/** Todos as events, which every calendar has, or as tasks, which some programs have too. */
export type FeedForm = "events" | "tasks";

type Parts = Readonly<{ form: FeedForm; todos: readonly FeedTodo[]; today: string; host: string }>;

/** Computing when a series goes on takes milliseconds for some rules, so only the next due todos show it. */
const mostSeries = 200;

/** A calendar shows about this much of a description; a thousand whole ones would be megabytes in each answer. */
const longestDescription = 1_000;

/** An iCalendar object (RFC 5545). All of it are whole days, which are the same in every zone. */
export async function calendarDocument({ form, todos, today, host }: Parts): Promise<string> {
  const recurring = new Set(todos.filter(({ recurrence }) => recurrence !== null).slice(0, mostSeries));
  const components = await mapGivingWay(todos, (todo) => {
    const common = commonLines(todo);
    if (form === "tasks") return joinLines(taskLines(todo, common, host));
    return joinLines([
      ...eventLines(`todo-${todo.id}@${host}`, [dayLine("DTSTART", todo.due_date), ...common]),
      ...(recurring.has(todo) ? seriesLines(todo, common, { today, host }) : []),
    ]);
  });
  const head = joinLines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Kept//Todos//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    "X-WR-CALNAME:Kept",
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
  ]);
  return [head, ...components, joinLines(["END:VCALENDAR"])].join("");
}

/** The lines of a todo in either form. Its last change is the object's timestamp, so that equal feeds are equal. */
function commonLines({ title, description, category_name, updated_at, created_at }: FeedTodo): string[] {
  return [
    `DTSTAMP:${utc(updated_at)}`,
    `LAST-MODIFIED:${utc(updated_at)}`,
    `CREATED:${utc(created_at)}`,
    textLine("SUMMARY", title),
    ...(description ? [textLine("DESCRIPTION", cut(description))] : []),
    ...(category_name ? [textLine("CATEGORIES", category_name)] : []),
  ];
}

/** Never within a character. */
const cut = (text: string): string =>
  text.length > longestDescription
    ? `${text.slice(0, longestDescription - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
    : text;

/** Days that are due keep nobody from being free. */
const eventLines = (uid: string, lines: readonly string[]): string[] => [
  "BEGIN:VEVENT",
  `UID:${uid}`,
  ...lines,
  "TRANSP:TRANSPARENT",
  "END:VEVENT",
];

/**
 * The rest of a series after the todo, as if that were done on its day. It is an event of its own, because an event
 * must lie on its rule but a due date can move off it. A series that repeats from completion shows no further days.
 */
function seriesLines(
  { id, recurrence, recurrence_from, recurrence_anchor, due_date }: FeedTodo,
  common: readonly string[],
  { today, host }: Readonly<{ today: string; host: string }>,
): string[] {
  if (recurrence === null || due_date === null || recurrence_from === "completion") return [];
  const anchor = recurrence_anchor ?? due_date;
  const next = successor({ rule: recurrence, anchor, recurrence_from, due_date, today });
  if (!next) return [];
  const lines = [dayLine("DTSTART", next.due_date), `RRULE:${next.rule}`, ...common];
  return eventLines(`todo-${id}-next@${host}`, lines);
}

/** A todo that repeats is followed by another one once it is done, so no rule is said of it. */
const taskLines = ({ id, due_date }: FeedTodo, common: readonly string[], host: string): string[] => [
  "BEGIN:VTODO",
  `UID:todo-${id}@${host}`,
  ...(due_date === null ? [] : [dayLine("DUE", due_date)]),
  ...common,
  "STATUS:NEEDS-ACTION",
  "END:VTODO",
];

const dayLine = (name: string, date: string | null): string =>
  `${name};VALUE=DATE:${(date ?? "").replaceAll("-", "")}`;

const utc = (stored: string): string => `${timestamp(stored).slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
