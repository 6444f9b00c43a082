import { localTime, timestamp } from "../../../../shared/domain/day/day.ts";
import type { FeedTodo } from "../../../queries/calendar/read.ts";
import { textLine } from "./content-lines.ts";
import { utcTime } from "./times.ts";

/** The reminder of a todo, if it will ring. */
export const alarmLines = ({ title, remind_at }: FeedTodo): string[] =>
  remind_at === null ? [] : alarm(`TRIGGER;VALUE=DATE-TIME:${utcTime(timestamp(remind_at))}`, title);

/**
 * Later todos of the series have the same reminder: its wall-clock distance from their due time or day is that of
 * the first.
 */
export function seriesAlarmLines(
  { title, remind_at, due_date, due_time }: FeedTodo,
  timeZone: string,
): string[] {
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
