import { type Static, Type } from "typebox";
import { recurrenceStarts, reminderStatuses, timesOfDay } from "../domain/vocabulary.ts";
import { Instant } from "./action.ts";
import { Color, Icon } from "./category-schema.ts";
import { CalendarDate, Context, Description, Name, Nullable, OneOf } from "./fields.ts";
import { FrequencyField, GraceDays, HabitTypeField, ScheduleField } from "./habit-schema.ts";
import "./reminder-schema.ts";
import { Minutes, Recurrence } from "./todo-schema.ts";

/** The things of a file from elsewhere, as all kinds of files are translated to. */

/** What a thing is known by, made from what its file says of it. */
const ImportKey = Type.String({ pattern: "^[A-Za-z0-9_-]{22}$" });

/** Null where the file does not say. */
const times = { created_at: Nullable(Instant), updated_at: Nullable(Instant) };

export const ImportedCategory = Type.Object({
  key: ImportKey,
  name: Name,
  color: Nullable(Color),
  icon: Nullable(Icon),
  ...times,
});

export const ImportedHabit = Type.Object({
  key: ImportKey,
  name: Name,
  type: HabitTypeField,
  frequency: FrequencyField,
  schedule: Nullable(ScheduleField),
  time_of_day: Nullable(OneOf(timesOfDay)),
  description: Nullable(Description),
  grace_days: GraceDays,
  category: Nullable(ImportKey),
  ...times,
});

/** Completions of a habit of the same file. One with many has several of these. */
export const ImportedHistory = Type.Object({
  habit: ImportKey,
  dates: Type.Array(CalendarDate),
  /** Null where the file does not say when on its day it was done. */
  times: Type.Array(Nullable(Instant)),
});

const ImportedReminder = Type.Object({
  remind_at: Instant,
  /** The time without a zone, where it was given so. */
  wall_time: Nullable(Type.String({ format: "reminder-time", pattern: "^[^Z+]{16,29}$" })),
  status: OneOf(reminderStatuses),
});

export const ImportedTodo = Type.Object({
  key: ImportKey,
  title: Name,
  description: Nullable(Description),
  due_date: Nullable(CalendarDate),
  time_of_day: Nullable(OneOf(timesOfDay)),
  estimated_minutes: Nullable(Minutes),
  context: Nullable(Context),
  category: Nullable(ImportKey),
  is_completed: Type.Boolean(),
  completed_at: Nullable(Instant),
  completed_on: Nullable(CalendarDate),
  recurrence: Nullable(Recurrence),
  recurrence_from: OneOf(recurrenceStarts),
  recurrence_anchor: Nullable(CalendarDate),
  /** The todo that followed it in its series. */
  next: Nullable(ImportKey),
  reminder: Nullable(ImportedReminder),
  ...times,
});

/** A list of one kind of things. */
export type ImportedThings = {
  categories: Static<typeof ImportedCategory>;
  habits: Static<typeof ImportedHabit>;
  histories: Static<typeof ImportedHistory>;
  todos: Static<typeof ImportedTodo>;
};
export type ImportedKind = keyof ImportedThings;
