import { recurrenceStarts } from "../../domain/vocabulary.ts";
import { Instant } from "../action/contracts.ts";
import {
  clockTime,
  day,
  flag,
  instant,
  internal,
  line,
  link,
  number,
  optional,
  paragraph,
  required,
  timeOfDay,
  usually,
  word,
} from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ClockTime,
  Context,
  Description,
  Flag,
  Id,
  Line,
  Name,
  OneOf,
  TimeOfDayField,
  titled,
  WholeNumber,
} from "../kernel/fields.ts";

export const Recurrence = titled("Recurrence", Line(500));
export const Minutes = titled("Minutes", WholeNumber(1, 100_000));
export const RecurrenceFrom = titled("RecurrenceFrom", OneOf(recurrenceStarts));

const repeats = ["every day", "every weekday", "every week", "every 2 weeks", "every month", "every year"];

export const todoFields = {
  title: required(line(Name), { label: "Title" }),
  description: optional(paragraph(Description), { label: "Notes", inLog: "description" }),
  due_date: optional(day(CalendarDate), { label: "Due", noun: "due date" }),
  due_time: optional(clockTime(ClockTime), { label: "Due at", inLog: "due time" }),
  time_of_day: optional(timeOfDay(TimeOfDayField), { label: "Part of the day", inLog: "time of day" }),
  estimated_minutes: optional(number(Minutes), { label: "Takes (minutes)", inLog: "duration", unit: "min" }),
  context: optional(line(Context), { label: "Context", hint: "Such as desk or phone" }),
  category_id: link(Id),
  is_important: usually(flag(Flag), false, {
    ticked: "true",
    label: "Important",
    hint: "It is marked in lists, which can show important todos first.",
    untold: false,
  }),
  is_completed: internal(usually(flag(Flag), false)),
  completed_at: internal(optional(instant(Instant))),
  /** The user's date at completion, for the activity strip; a time-zone change never rewrites it. */
  completed_on: internal(optional(day(CalendarDate))),
  recurrence: optional(line(Recurrence), {
    label: "Repeats",
    suggestions: repeats,
    hint: "Such as every Monday, every month on the 1st, every 2 weeks until 1 March; or an RRULE.",
    noun: "repetition",
  }),
  recurrence_from: usually(word(RecurrenceFrom), "due", {
    ticked: "completion",
    label: "Count from the day on which it was done",
    inLog: "repeating from",
    noun: "repetition",
    untold: "due",
  }),
  recurrence_anchor: internal(optional(day(CalendarDate))),
  next_todo_id: internal(link(Id)),
};
