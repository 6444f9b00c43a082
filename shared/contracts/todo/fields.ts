import { Type } from "typebox";
import Format from "typebox/format";
import { examples } from "../../domain/day/day.ts";
import { parseRecurrence } from "../../domain/todo/recurrence.ts";
import { recurrenceStarts, reminderStatuses } from "../../domain/vocabulary.ts";
import type { FieldErrors } from "../../errors.ts";
import { Instant } from "../action/contracts.ts";
import { CategoryRef, categoryNameFields } from "../category/fields.ts";
import {
  clockTime,
  day,
  fieldsWith,
  flag,
  instant,
  internal,
  line,
  link,
  notes,
  number,
  optional,
  partOfDay,
  required,
  schemasOf,
  tag,
  usually,
  word,
} from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ChooseChannelAt,
  Clearable,
  ClockTime,
  Context,
  Flag,
  Id,
  Line,
  Name,
  Nullable,
  OneOf,
  Reach,
  Timestamp,
  TodayFields,
  titled,
  WholeNumber,
  WrittenBy,
} from "../kernel/fields.ts";

const Recurrence = Object.assign(titled("Recurrence", Line(500)), {
  description:
    "An RRULE of RFC 5545: FREQ of DAILY, WEEKLY, MONTHLY or YEARLY, with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL or COUNT",
  examples: [
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY;UNTIL=20301231",
  ],
});
const Minutes = titled("Minutes", WholeNumber(1, 100_000));
export const RecurrenceFrom = titled("RecurrenceFrom", OneOf(recurrenceStarts));

const repeats = ["every day", "every weekday", "every week", "every 2 weeks", "every month", "every year"];

export const todoFields = {
  title: required(line(Name), { label: "Title", meaning: "The thing to do, in a few words" }),
  description: notes,
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
  time_of_day: partOfDay,
  estimated_minutes: optional(number(Minutes), {
    label: "Takes (minutes)",
    meaning: "The minutes that it takes; null if unknown",
    inLog: "duration",
    unit: "min",
  }),
  context: tag(
    "@",
    optional(line(Context), {
      label: "Context",
      hint: "Such as desk or phone",
      meaning: "A label for a place or tool, such as desk or phone",
    }),
  ),
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

export const todoTags = fieldsWith(todoFields, "mark");

Format.Set("reminder-time", isReminderTime);

export const RemindAt = titled(
  "ReminderTime",
  Type.String({
    format: "reminder-time",
    expects: examples.time,
  }),
);

export const Reminder = titled(
  "Reminder",
  Type.Object({
    todo_id: Id,
    remind_at: Timestamp,
    local_time: Type.String({ description: "YYYY-MM-DDTHH:MM:SS in time_zone" }),
    time_zone: Type.String(),
    status: titled("ReminderStatus", OneOf(reminderStatuses)),
    reaches: Reach,
    choose_channel_at: ChooseChannelAt,
  }),
);

const reminderTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** True if a text is a real date and time in RFC 3339, with an offset or, as wall time, without one. */
function isReminderTime(text: string): boolean {
  if (!reminderTime.test(text)) return false;
  try {
    hasOffset(text) ? Temporal.Instant.from(text) : Temporal.PlainDateTime.from(text);
    return true;
  } catch {
    return false;
  }
}

export const hasOffset = (text: string): boolean => /(Z|[+-]\d{2}:\d{2})$/.test(text);

const { category_id: _, completed_on: __, recurrence_anchor: ___, ...shown } = schemasOf(todoFields, "shown");

export const Todo = titled(
  "Todo",
  Type.Object({
    id: Id,
    ...shown,
    is_overdue: Type.Boolean(),
    reminder: Nullable(Reminder),
    written_by: WrittenBy,
    category: Nullable(CategoryRef),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** Agents send these in the same call. REST has the category's id and the reminder's own address. */
export const toolTodoFields = { ...categoryNameFields, remind_at: Clearable(RemindAt) };
export const toolTodoNames = Object.keys(toolTodoFields);

export function checkRecurrence({ recurrence }: { recurrence?: string | null }): FieldErrors | undefined {
  if (recurrence == null) return undefined;
  const parsed = parseRecurrence(recurrence);
  return "error" in parsed ? { recurrence: [parsed.error] } : undefined;
}

/** A line that a tool appends to a description. */
export const AddedNote = Type.String({
  ...{ minLength: 1, maxLength: 1_000, format: "paragraph", expects: "text of 1 to 1000 characters" },
});

/** A todo in an agent's list. */
export const ListedTodo = Type.Object({
  ...Todo.properties,
  /** The user's day of completion. */
  completed_on: Nullable(CalendarDate),
});

export const PendingTodos = Type.Object({
  ...TodayFields,
  todos: Type.Array(ListedTodo),
  total: Type.Integer(),
  next_cursor: Nullable(Type.String()),
  /** Counts instead of todos: all categories, and null for todos without one. */
  by_category: Type.Optional(
    Type.Array(Type.Object({ category: Nullable(Type.String()), count: Type.Integer() })),
  ),
});
