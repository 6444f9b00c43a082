import type { ImportedThings } from "../../../../../shared/contracts/import/contracts.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { localTime, resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import type { TimeOfDay } from "../../../../../shared/domain/vocabulary.ts";
import { type Finding, keyOf, left, type ReadingContext } from "./found.ts";

/** A task of another app. Its times are dates, times on the person's clock or instants. */
type PlainTask = Readonly<{
  key: string;
  title: string;
  /** The name of its list, which becomes its category. */
  list?: string | undefined;
  notes?: string;
  parent?: string | undefined;
  labels?: readonly string[];
  /** Further lines of its description; empty ones are left out. */
  lines?: readonly string[];
  context?: string | null | undefined;
  due?: string | undefined;
  /** Kept has none, so the description tells one that is not the due time. */
  start?: string | undefined;
  /** The first one comes; undefined for one whose time nobody knows. */
  reminders?: readonly (string | undefined)[];
  rule?: string | null | undefined;
  fromCompletion?: boolean;
  minutes?: number | null;
  isImportant?: boolean;
  isDone?: boolean;
  done?: string | undefined;
  created?: string | undefined;
}>;

/** Many tasks may repeat the name of one list, so it is cut here; the check of all things cuts names further. */
const longestList = 300;

/** The category that a list or tag becomes. A second one of the name is the same. */
export const listAsCategory = (name: string) => {
  const short = name.trim().slice(0, longestList);
  return { kind: "categories", thing: { key: keyOf("list", short), name: short } } as const;
};

/** A task as a todo, after its category. */
export function* todoOf(task: PlainTask, { today }: ReadingContext): Generator<Finding> {
  const { key, title, parent, labels = [], reminders = [], isDone = false } = task;
  const list = task.list?.trim() ? listAsCategory(task.list) : undefined;
  if (list) yield list;
  if (reminders.length > 1) yield left(title, `Comes with the first of its ${reminders.length} reminders.`);
  const reminder = reminderAt(reminders[0], today.timeZone);
  if (reminders.length > 0 && !reminder)
    yield left(title, "Comes without its reminder, whose time Kept cannot tell.");
  const of = parent ? `Part of: ${parent.slice(0, longestParent)}` : "";
  const others = labels.length > 0 ? `Labels: ${labels.join(", ")}` : "";
  const [startDate, startTime] = momentIn(task.start === task.due ? "" : task.start, today.timeZone);
  const begins = startDate ? ["Start:", startDate, startTime].filter(Boolean).join(" ") : "";
  const all = [task.notes ?? "", of, others, begins, ...(task.lines ?? [])];
  const [due_date, due_time] = momentIn(task.due, today.timeZone);
  const completed_at = isDone ? instantIn(task.done) : null;
  const thing = {
    ...{ key, title, due_date, due_time, category: list?.thing.key ?? null, reminder },
    description: all.filter((line) => line.trim() !== "").join("\n") || null,
    context: task.context?.slice(0, longestContext) ?? null,
    time_of_day: due_time === null ? null : partOf(Number(due_time.slice(0, 2))),
    recurrence: task.rule || null,
    recurrence_from: task.fromCompletion ? ("completion" as const) : ("due" as const),
    ...{ estimated_minutes: task.minutes ?? null, is_important: task.isImportant ?? false },
    ...{ is_completed: isDone, completed_at, completed_on: momentIn(completed_at ?? "", today.timeZone)[0] },
    created_at: instantIn(task.created),
  };
  yield { kind: "todos", thing };
}

const longestContext = 100;
/** Many tasks may repeat the title of one, so a file of some megabytes could become gigabytes of text. */
const longestParent = 255;

const partOf = (hour: number): TimeOfDay => (hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening");

const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** An instant of text or milliseconds. JavaScript reads no offset without a colon. */
export function instantIn(value: unknown): string | null {
  const text = typeof value === "string" ? value.replace(/([+-]\d\d)(\d\d)$/, "$1:$2") : "";
  const ms = typeof value === "number" ? value : Date.parse(text);
  return ms >= 0 && ms < Date.UTC(9999) ? new Date(ms).toISOString() : null;
}

/** The date and the time of day in a zone; null for what the text does not have. */
export function momentIn(text = "", timeZone: string): readonly [date: string | null, time: string | null] {
  const instant = zoned.test(text) && text.includes(":") ? instantIn(text) : null;
  const local = instant === null ? text : localTime(Date.parse(instant), timeZone);
  const [, date = "", time = null] =
    /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d))?/.exec(local) ?? [];
  return isCalendarDate(date) ? [date, time] : [null, null];
}

/** A reminder at an instant, or at a time on the person's clock. */
function reminderAt(text: string | undefined, timeZone: string): ImportedThings["todos"]["reminder"] {
  const [date, time] = momentIn(text, timeZone);
  if (text === undefined || date === null || time === null) return null;
  const wall = `${date}T${time}`;
  const remind_at = new Date(resolveLocalTime(wall, timeZone)).toISOString();
  return { remind_at, wall_time: zoned.test(text) ? null : wall, status: "scheduled" };
}

/** A reminder some time from the due time, or from the beginning of the day: `-PT30M`, `P0DT9H0M0S`. */
export function reminderFrom(text: string, due: string, { today }: ReadingContext): string | undefined {
  const [date, time] = momentIn(due, today.timeZone);
  const [duration] =
    /^-?P(?:\d{1,3}W|(?:\d{1,3}D)?(?:T(?=\d)(?:\d{1,4}H)?(?:\d{1,5}M)?(?:\d{1,6}S)?)?)$/.exec(text) ?? [];
  if (date === null || duration === undefined || !/\d/.test(duration)) return undefined;
  return Temporal.PlainDateTime.from(`${date}T${time ?? "00:00"}`)
    .add(duration)
    .toString({ smallestUnit: "minute" });
}
