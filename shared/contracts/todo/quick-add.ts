import { type Static, Type } from "typebox";
import { longestLine } from "../../domain/todo/quick-add-words.ts";
import { FrequencyField, HabitTypeField, ScheduleField } from "../habit/fields.ts";
import { query } from "../kernel/contract.ts";
import { CalendarDate, Line, Nullable, TimeOfDayField, TodayFields, titled } from "../kernel/fields.ts";
import { RecurrenceFrom } from "./fields.ts";

const TodoInWords = titled(
  "TodoInWords",
  Type.Object({
    title: Type.String(),
    due_date: Nullable(CalendarDate),
    time_of_day: Nullable(TimeOfDayField),
    estimated_minutes: Nullable(Type.Integer()),
    context: Nullable(Type.String()),
    recurrence: Nullable(Type.String()),
    recurrence_from: Nullable(RecurrenceFrom),
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
  }),
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
  }),
);

const example: Static<typeof QuickAdd> = {
  today: "2026-11-20",
  time_zone: "UTC",
  todo: {
    title: "Pay rent",
    due_date: "2026-12-01",
    time_of_day: null,
    estimated_minutes: 10,
    context: "desk",
    recurrence: "FREQ=MONTHLY;BYMONTHDAY=1",
    recurrence_from: null,
  },
  habit: null,
  category: "Home",
  remind_at: "2026-12-01T09:00",
};

export const getQuickAdd = query({
  name: "quick-add.get",
  scopes: [],
  summary: "What a line in words says, as the body of POST /todos or of POST /habits; nothing is made by it",
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
