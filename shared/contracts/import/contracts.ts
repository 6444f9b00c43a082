import { type Static, Type } from "typebox";
import { reminderStatuses } from "../../domain/vocabulary.ts";
import { actionKeyFields, Instant } from "../action/contracts.ts";
import { categoryFields } from "../category/fields.ts";
import { AmountWithin, CompletionNote, habitFields, leastAmount, mostInDay } from "../habit/fields.ts";
import { command } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Id, Nullable, OneOf, WholeNumber } from "../kernel/fields.ts";
import { todoFields } from "../todo/fields.ts";

/** Things of a file from elsewhere, to which every kind of file is translated. */

/** The identity of a thing, derived from its fields in the file. */
const ImportKey = Type.String({ pattern: "^[A-Za-z0-9_-]{22}$" });

/** Null where the file does not say. */
const times = { created_at: Nullable(Instant), updated_at: Nullable(Instant) };

export const ImportedCategory = Type.Object({
  key: ImportKey,
  ...schemasOf(categoryFields, "file"),
  ...times,
});

/** The latest skipped days. */
export const mostSkips = 4_000;

/** The present pause and earlier ones, on which the streak rests. */
const Pauses = Type.Array(Type.Object({ from: CalendarDate, through: Nullable(CalendarDate) }), {
  maxItems: 1_000,
});

export const ImportedHabit = Type.Object({
  key: ImportKey,
  ...schemasOf(habitFields, "file"),
  pauses: Nullable(Pauses),
  skips: Nullable(Type.Array(CalendarDate, { maxItems: mostSkips })),
  category: Nullable(ImportKey),
  ...times,
});

/** The sum of a day, and the target by which it counts. */
const ImportedSum = Type.Object({
  date: CalendarDate,
  amount: AmountWithin(leastAmount, mostInDay),
  target: AmountWithin(0, mostInDay),
});

/** Earlier dates are mistakes of the program that wrote the file. */
export const firstDate = "1970-01-01";

/** Completions and amounts of a habit of the same file. One with many has several of these. */
export const ImportedHistory = Type.Object({
  habit: ImportKey,
  /** The habit if it is here already and lacks these days. */
  id: Nullable(Id),
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

export const ImportedTodo = Type.Object({
  key: ImportKey,
  ...schemasOf(todoFields, "file"),
  category: Nullable(ImportKey),
  /** The next todo of its series. */
  next: Nullable(ImportKey),
  reminder: Nullable(ImportedReminder),
  ...times,
});

export type ImportedThings = {
  categories: Static<typeof ImportedCategory>;
  habits: Static<typeof ImportedHabit>;
  histories: Static<typeof ImportedHistory>;
  todos: Static<typeof ImportedTodo>;
};
export type ImportedKind = keyof ImportedThings;

/** In the order in which they are made; the histories of a few habits follow these. */
const importedKinds = ["categories", "habits", "histories", "todos"] as const satisfies ImportedKind[];

/**
 * The most things, completions, days of habits that are here, and JSON of one import, and so of its waiting parts and of
 * its row in the log. An undo takes each added day back by itself.
 */
export const maxImported = { things: 2_000, completions: 20_000, added: 2_500, length: 2_000_000 } as const;

/** The most waiting parts of a file; more than `maxImported` never needs. The next file replaces them. */
export const maxImportParts = 200;

const ImportId = Type.String({ format: "uuid" });
const Part = WholeNumber(0, maxImportParts - 1);

/** It waits for long work, because a new file takes the place of the parts of an import that is under way. */
export const stageImport = command({
  name: "import.stage",
  apart: true,
  scopes: [],
  summary: "Keep a part of a file, one kind of things, until its person says yes to it",
  input: Type.Object({
    import_id: ImportId,
    part: Part,
    kind: OneOf(importedKinds),
    keys: Type.Array(ImportKey),
    /** JSON of a list of things that the reader of files has checked. */
    content: Type.String(),
  }),
  output: Type.Null(),
});

const counts = {
  categories: Type.Integer(),
  habits: Type.Integer(),
  completions: Type.Integer(),
  todos: Type.Integer(),
};

/** No route or tool leads here. It has scopes, because an import is logged and can be undone like actions of agents. */
export const applyImport = command({
  name: "import.apply",
  apart: true,
  scopes: ["habits:write", "todos:write", "categories:write"],
  summary: "Make everything of a file that waits, in as many steps as that takes",
  input: Type.Object({ import_id: ImportId, parts: WholeNumber(1, maxImportParts) }),
  output: Type.Object({ ...counts, work_id: Nullable(Type.String({ format: "uuid" })) }),
  events: () => [{ kind: "imported", details: {} }],
});

export const continueImport = command({
  name: "import.continue",
  scopes: [],
  summary: "Make the things of the next parts of an import that is under way",
  input: Type.Object({
    ...actionKeyFields,
    step: WholeNumber(1, maxImportParts),
    parts: Type.Array(Part, { minItems: 1 }),
  }),
  output: Type.Object(counts),
});
