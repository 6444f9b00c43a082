import { type Static, Type } from "typebox";
import { reminderStatuses } from "../../domain/vocabulary.ts";
import { Instant } from "../action/contracts.ts";
import { categoryFields } from "../category/fields.ts";
import { CompletionNote, habitFields, mostInDay } from "../habit/fields.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Nullable, OneOf, WholeNumber } from "../kernel/fields.ts";
import "../todo/reminder-schema.ts";
import { todoFields } from "../todo/fields.ts";

/** Things of a file from elsewhere, to which every kind of file is translated. */

/** The identity of a thing, derived from its fields in the file. */
export const ImportKey = Type.String({ pattern: "^[A-Za-z0-9_-]{22}$" });

/** Null where the file does not say. */
const times = { created_at: Nullable(Instant), updated_at: Nullable(Instant) };

export const ImportedCategory = Type.Object({
  key: ImportKey,
  ...schemasOf(categoryFields, "file"),
  ...times,
});

const { name, type, frequency, schedule, ...describing } = schemasOf(habitFields, "file");

/** The latest skipped days. */
export const mostSkips = 4_000;

/** The present pause and earlier ones, on which the streak rests. */
const Pauses = Type.Array(Type.Object({ from: CalendarDate, through: Nullable(CalendarDate) }), {
  maxItems: 1_000,
});

export const ImportedHabit = Type.Object({
  key: ImportKey,
  name,
  type,
  frequency,
  schedule,
  ...describing,
  pauses: Nullable(Pauses),
  skips: Nullable(Type.Array(CalendarDate, { maxItems: mostSkips })),
  category: Nullable(ImportKey),
  ...times,
});

/** The sum of a day, and the target by which it counts. */
const ImportedSum = Type.Object({
  date: CalendarDate,
  amount: WholeNumber(1, mostInDay),
  target: WholeNumber(0, mostInDay),
});

/** Completions and amounts of a habit of the same file. One with many has several of these. */
export const ImportedHistory = Type.Object({
  habit: ImportKey,
  dates: Type.Array(CalendarDate),
  /** Null if the file does not tell the time of day. */
  times: Type.Array(Nullable(Instant)),
  sums: Nullable(Type.Array(ImportedSum)),
  notes: Nullable(Type.Array(Type.Object({ date: CalendarDate, note: CompletionNote }))),
});

const ImportedReminder = Type.Object({
  remind_at: Instant,
  /** The time without a zone, if the file has it so. */
  wall_time: Nullable(Type.String({ format: "reminder-time", pattern: "^[^Z+]{16,29}$" })),
  status: OneOf(reminderStatuses),
});

const { title, description, due_date, due_time, time_of_day, estimated_minutes, context, ...others } =
  schemasOf(todoFields, "file");

export const ImportedTodo = Type.Object({
  key: ImportKey,
  title,
  description,
  due_date,
  due_time,
  time_of_day,
  estimated_minutes,
  context,
  category: Nullable(ImportKey),
  ...others,
  /** The next todo of its series. */
  next: Nullable(ImportKey),
  reminder: Nullable(ImportedReminder),
  ...times,
});

/** A list of things of one kind. */
export type ImportedThings = {
  categories: Static<typeof ImportedCategory>;
  habits: Static<typeof ImportedHabit>;
  histories: Static<typeof ImportedHistory>;
  todos: Static<typeof ImportedTodo>;
};
export type ImportedKind = keyof ImportedThings;

/** In the order in which they are made; the histories of a few habits follow these. */
export const importedKinds = ["categories", "habits", "histories", "todos"] as const satisfies ImportedKind[];
