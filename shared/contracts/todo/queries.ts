import { type Static, Type } from "typebox";
import { longestLine } from "../../domain/todo/quick-add-words.ts";
import type { FieldErrors } from "../../errors.ts";
import { FrequencyField, HabitTypeField, ScheduleField } from "../habit/fields.ts";
import { query, route } from "../kernel/contract.ts";
import { fieldsWith, optionalValues, schemasOf, withUsual } from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ClockTime,
  checkPeriod,
  DueField,
  Flag,
  Id,
  Line,
  Nullable,
  OneOf,
  Page,
  PageOf,
  SearchText,
  TimeOfDayField,
  TodayFields,
  titled,
} from "../kernel/fields.ts";
import { todoExamples } from "./examples.ts";
import { PendingTodos, RecurrenceFrom, Todo, todoFields, todoTags } from "./fields.ts";
import { checkPending, PendingFilters } from "./filters.ts";

const TodoFilters = Type.Object({
  q: Type.Optional(SearchText),
  status: Type.Optional(titled("TodoStatus", OneOf(["incomplete", "completed", "all"]))),
  due: Type.Optional(DueField),
  due_from: Type.Optional(CalendarDate),
  due_to: Type.Optional(CalendarDate),
  done_since: Type.Optional(CalendarDate),
  has_reminder: Type.Optional(Flag),
  ...optionalValues(todoTags),
  time_of_day: Type.Optional(TimeOfDayField),
  category_id: Type.Optional(Id),
  page: Type.Optional(Page),
});

export const listTodos = query({
  name: "todo.list",
  scopes: ["todos:read"],
  summary:
    "List or search todos, by default the incomplete ones; with done_since those completed from that day on, newest first",
  rest: [route("listTodos", "GET", "/todos", todoExamples.list)],
  input: TodoFilters,
  searchField: "q",
  output: PageOf(Todo),
  refine: checkList,
});

export const pendingTodos = query({
  name: "todo.pending",
  scopes: ["todos:read"],
  summary: "List pending todos in the default order or completed ones, after a cursor",
  input: PendingFilters,
  searchField: "query",
  output: PendingTodos,
  refine: checkPending,
});

export const getTodo = query({
  name: "todo.get",
  resource: "Todo",
  scopes: ["todos:read"],
  summary: "View a todo",
  rest: [route("getTodo", "GET", "/todos/{todo_id}", todoExamples.get)],
  input: Type.Object({ todo_id: Id }),
  output: Todo,
});

function checkList({
  due,
  due_from,
  due_to,
  done_since,
  status,
}: Static<typeof TodoFilters>): FieldErrors | undefined {
  if (due === "none" && (due_from ?? due_to) !== undefined)
    return { due: ["The due field is none, which excludes everything that due_from and due_to ask for."] };
  if (status === "incomplete" && done_since !== undefined)
    return {
      status: ["The status field is incomplete, which excludes everything that done_since asks for."],
    };
  return checkPeriod("due_from", due_from, "due_to", due_to);
}

const { description: _, category_id: __, ...said } = schemasOf(fieldsWith(todoFields, "create"), "shown");
const TodoInWords = titled(
  "TodoInWords",
  Type.Object({ ...said, recurrence_from: Nullable(RecurrenceFrom) }),
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

const exampleQuickAdd: Static<typeof QuickAdd> = {
  today: "2026-11-20",
  time_zone: "UTC",
  todo: withUsual(TodoInWords, todoFields, {
    title: "Pay rent",
    due_date: "2026-12-01",
    due_time: "09:00",
    estimated_minutes: 10,
    context: "desk",
    recurrence: "FREQ=MONTHLY;BYMONTHDAY=1",
    recurrence_from: null,
  }),
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
    route("getQuickAdd", "GET", "/quick-add", {
      input: { line: "Pay rent every month on the 1st at 9 #Home @desk 10min" },
      output: exampleQuickAdd,
    }),
  ],
  input: Type.Object({ line: titled("LineInWords", Line(longestLine)) }),
  output: QuickAdd,
});
