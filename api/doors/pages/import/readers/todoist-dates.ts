import type { TimeOfDay } from "../../../../../shared/domain/vocabulary.ts";
import { fieldsSaid } from "../../../../queries/quick-add/fields.ts";
import { type ReadLine, readLine } from "../../../../queries/quick-add/read-line.ts";

/** A due date as Todoist writes it in English. */
export type WrittenDate = Readonly<{
  due_date: string | null;
  due_time: string | null;
  recurrence: string | null;
  recurrence_from: "due" | "completion";
  time_of_day: TimeOfDay | null;
}>;

/** No date has more letters, and reading a longer text would take long. */
const longestDate = 100;

/**
 * Reads a date as the line at the top of the pages does. Todoist writes all hours of the day, so `5:30` is in the morning.
 * @returns undefined for a text that is more than a date
 */
export function readTodoistDate(written: string, today: string): WrittenDate | undefined {
  if (written.length > longestDate) return undefined;
  const text = written.replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/i, "$1 ");
  const clock = { now: Date.parse(today), timeZone: "UTC", today };
  const { title, says } = readLine(text, clock, "todo");
  const { hour, ...others } = says;
  const fields = fieldsSaid(hour ? { ...others, hour: { ...hour, isOpen: false } } : others, text, clock);
  if (title !== "" || hasMore(says)) return undefined;
  const { due_date, due_time, recurrence, recurrence_from, time_of_day } = fields;
  return {
    ...{ due_date, due_time, recurrence, recurrence_from: recurrence_from ?? "due" },
    time_of_day: time_of_day ?? (due_time === null ? null : partOf(Number(due_time.slice(0, 2)))),
  };
}

const hasMore = ({ minutes, category, context, remindHour, remindBefore }: ReadLine["says"]): boolean =>
  [minutes, category, context, remindHour, remindBefore].some((said) => said !== undefined);

const partOf = (hour: number): TimeOfDay => (hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening");
