import { type Static, Type } from "typebox";
import { longestLine } from "../../domain/todo/quick-add-words.ts";
import { FrequencyField, HabitTypeField, ScheduleField } from "../habit/fields.ts";
import { query } from "../kernel/contract.ts";
import {
  CalendarDate,
  ClockTime,
  Line,
  Nullable,
  TimeOfDayField,
  TodayFields,
  titled,
} from "../kernel/fields.ts";
import { RecurrenceFrom } from "./fields.ts";

const TodoInWords = titled(
  "TodoInWords",
  Type.Object({
    title: Type.String(),
    due_date: Nullable(CalendarDate),
    due_time: Nullable(ClockTime),
    time_of_day: Nullable(TimeOfDayField),
    estimated_minutes: Nullable(Type.Integer()),
    context: Nullable(Type.String()),
    recurrence: Nullable(Type.String()),
    recurrence_from: Nullable(RecurrenceFrom),
    is_important: Type.Boolean(),
  }),
);

const HabitInWords = titled(
  "HabitInWords",
  Type.Object({
    name: Type.String(),
    type: HabitTypeField,
    frequency: FrequencyField,
    schedule: Nullable(ScheduleField),
    time_of_day: Nullable(TimeOfDayField),
    remind_at: Nullable(ClockTime),
  }),
);

const AlternativeInWords = titled(
  "AlternativeInWords",
  Type.Object(
    {
      label: Type.String({ description: "The other choice in a few words, such as 18:00 or habit" }),
      title: Type.Optional(Type.String()),
      due_date: Type.Optional(Nullable(CalendarDate)),
      due_time: Type.Optional(Nullable(ClockTime)),
      time_of_day: Type.Optional(Nullable(TimeOfDayField)),
      estimated_minutes: Type.Optional(Nullable(Type.Integer())),
      recurrence: Type.Optional(Nullable(Type.String())),
      remind_at: Type.Optional(Nullable(Type.String())),
      habit: Type.Optional(HabitInWords),
    },
    {
      description:
        "Fields that replace those of the first reading, or the habit that is meant instead of a todo",
    },
  ),
);

const QuickAdd = titled(
  "QuickAdd",
  Type.Object({
    ...TodayFields,
    todo: Nullable(TodoInWords),
    habit: Nullable(HabitInWords),
    category: Nullable(
      Type.String({ description: "The name as it was written; there may be none such yet" }),
    ),
    remind_at: Nullable(Type.String({ description: "What PUT /todos/{todo_id}/reminder takes" })),
    alternatives: Type.Array(AlternativeInWords, {
      description: "Other readings, where the words leave a choice; ask the person",
    }),
  }),
);

const example: Static<typeof QuickAdd> = {
  today: "2026-11-20",
  time_zone: "UTC",
  todo: {
    title: "Pay rent",
    due_date: "2026-12-01",
    due_time: "09:00",
    time_of_day: null,
    estimated_minutes: 10,
    context: "desk",
    recurrence: "FREQ=MONTHLY;BYMONTHDAY=1",
    recurrence_from: null,
    is_important: false,
  },
  habit: null,
  category: "Home",
  remind_at: "2026-12-01T09:00",
  alternatives: [],
};

export const getQuickAdd = query({
  name: "quick-add.get",
  scopes: [],
  summary: "Read a line of words as the body of POST /todos or of POST /habits; this makes nothing",
  rest: [
    {
      operationId: "getQuickAdd",
      method: "GET",
      path: "/quick-add",
      status: 200,
      example: {
        input: { line: "Pay rent every month on the 1st at 9 #Home @desk 10min" },
        output: example,
      },
    },
  ],
  input: Type.Object({ line: titled("LineInWords", Line(longestLine)) }),
  output: QuickAdd,
});
