import { type Static, Type } from "typebox";
import { reminderStatuses } from "../../domain/vocabulary.ts";
import { Instant } from "../action/contracts.ts";
import { categoryFields } from "../category/fields.ts";
import { habitFields } from "../habit/fields.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Nullable, OneOf } from "../kernel/fields.ts";
import "../todo/reminder-schema.ts";
import { todoFields } from "../todo/fields.ts";

/** The things of a file from elsewhere, as all kinds of files are translated to. */

/** The identity of a thing, made from its fields in the file. */
const ImportKey = Type.String({ pattern: "^[A-Za-z0-9_-]{22}$" });

/** Null where the file does not say. */
const times = { created_at: Nullable(Instant), updated_at: Nullable(Instant) };

export const ImportedCategory = Type.Object({
  key: ImportKey,
  ...schemasOf(categoryFields, "file"),
  ...times,
});

const { name, type, frequency, schedule, ...describing } = schemasOf(habitFields, "file");

export const ImportedHabit = Type.Object({
  key: ImportKey,
  name,
  type,
  frequency,
  schedule,
  ...describing,
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

const { title, description, due_date, time_of_day, estimated_minutes, context, ...others } = schemasOf(
  todoFields,
  "file",
);

export const ImportedTodo = Type.Object({
  key: ImportKey,
  title,
  description,
  due_date,
  time_of_day,
  estimated_minutes,
  context,
  category: Nullable(ImportKey),
  ...others,
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
