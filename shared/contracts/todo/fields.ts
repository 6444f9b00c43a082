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

export const Recurrence = Object.assign(titled("Recurrence", Line(500)), {
  description:
    "An RRULE of RFC 5545: FREQ of DAILY, WEEKLY, MONTHLY or YEARLY, with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL or COUNT",
  examples: [
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY;UNTIL=20301231",
  ],
});
export const Minutes = titled("Minutes", WholeNumber(1, 100_000));
export const RecurrenceFrom = titled("RecurrenceFrom", OneOf(recurrenceStarts));

const repeats = ["every day", "every weekday", "every week", "every 2 weeks", "every month", "every year"];

export const todoFields = {
  title: required(line(Name), { label: "Title", meaning: "The thing to do, in a few words" }),
  description: optional(paragraph(Description), {
    label: "Notes",
    meaning: "Notes, also in several lines",
    inLog: "description",
  }),
  due_date: optional(day(CalendarDate), {
    label: "Due",
    meaning: "The day by which it is to be done; null for none",
    noun: "due date",
  }),
  due_time: optional(clockTime(ClockTime), {
    label: "Due at",
    meaning: "The time of that day in the user's zone, only with due_date; null for none",
    inLog: "due time",
  }),
  time_of_day: optional(timeOfDay(TimeOfDayField), {
    label: "Part of the day",
    meaning: "The part of the day for which it is meant; null for any",
    inLog: "time of day",
  }),
  estimated_minutes: optional(number(Minutes), {
    label: "Takes (minutes)",
    meaning: "The minutes that it takes; null if unknown",
    inLog: "duration",
    unit: "min",
  }),
  context: optional(line(Context), {
    label: "Context",
    hint: "Such as desk or phone",
    meaning: "A label for a place or tool, such as desk or phone",
  }),
  category_id: link(Id, { inLog: "category" }),
  is_important: usually(flag(Flag), false, {
    ticked: "true",
    label: "Important",
    hint: "It is marked in lists, which can show important todos first.",
    meaning: "True for a todo that lists mark and can show first",
    untold: false,
  }),
  is_completed: internal(usually(flag(Flag), false, { meaning: "True when the todo is done" })),
  completed_at: internal(
    optional(instant(Instant), { meaning: "The moment at which it was completed; null while it is not" }),
  ),
  /** The user's date at completion, for the activity strip; a time-zone change never rewrites it. */
  completed_on: internal(optional(day(CalendarDate))),
  recurrence: optional(line(Recurrence), {
    label: "Repeats",
    suggestions: repeats,
    hint: "Such as every Monday, every month on the 1st, every 2 weeks until 1 March; or an RRULE.",
    meaning: "The rule by which it repeats; null if it does not",
    inLog: "repeating",
    noun: "repetition",
  }),
  recurrence_from: usually(word(RecurrenceFrom), "due", {
    ticked: "completion",
    label: "Count from the day on which it was done",
    meaning: "The day from which the rule counts: the due date, or the day of completion",
    inLog: "repeating from",
    noun: "repetition",
    untold: "due",
  }),
  recurrence_anchor: internal(optional(day(CalendarDate))),
  next_todo_id: internal(link(Id)),
};
