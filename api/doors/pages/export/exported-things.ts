import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import {
  ImportedCategory,
  ImportedHabit,
  ImportedTodo,
} from "../../../../shared/contracts/import/contracts.ts";
import type { DeclaredFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { timestamp } from "../../../../shared/domain/day/day.ts";
import type { ExportRows, KindOfThing } from "../../../queries/import/read.ts";

/** The files that people can bring. */
export const readableFiles =
  "a file of Kept (JSON), Todoist (CSV or zip), TickTick (CSV), Google Tasks (Takeout), Vikunja (zip), a calendar with tasks (.ics), Loop Habit Tracker (zip, .db, or Habits.csv and Checkmarks.csv) or Habitica (userdata.json)";

/** The format of a file. A reader must refuse other version numbers. */
export const exportFormat = { format: "kept-export", version: 1 } as const;

/** Keys of an import that are ids in a file. */
const idNames: ReadonlyMap<string, string> = new Map([
  ["key", "id"],
  ["category", "category_id"],
  ["next", "next_todo_id"],
]);

const namesInFile = ({ properties }: Readonly<{ properties: object }>): readonly string[] =>
  Object.keys(properties).map((name) => idNames.get(name) ?? name);

/** The fields of each thing in a file, the same as an import takes. Streaks are computed from the completions. */
export const fileColumns: Readonly<Record<KindOfThing, readonly string[]>> = {
  categories: namesInFile(ImportedCategory),
  habits: namesInFile(ImportedHabit),
  completions: ["habit_id", "date", "completed_at", "note"],
  amounts: ["habit_id", "date", "amount", "target"],
  todos: namesInFile(ImportedTodo),
};

type Present<Kind extends KindOfThing> = (row: ExportRows[Kind]) => Readonly<Record<string, unknown>>;

export const presentInFile: { [Kind in KindOfThing]: Present<Kind> } = {
  categories: (row) => columnsInFile("categories", categoryFields, row),
  habits: (row) => columnsInFile("habits", habitFields, { ...row, skips: row.skipped_dates }),
  completions: (row) => ({
    habit_id: row.habit_id,
    date: row.local_date,
    completed_at: timestamp(row.completed_at),
    note: row.note ?? null,
  }),
  amounts: ({ habit_id, local_date: date, amount, target }) => ({ habit_id, date, amount, target }),
  todos: (row) => columnsInFile("todos", todoFields, { ...row, reminder: presentReminder(row) }),
};

function columnsInFile(kind: KindOfThing, fields: DeclaredFields, columns: object): Record<string, unknown> {
  const row: Readonly<Record<string, unknown>> = { ...columns };
  return Object.fromEntries(
    fileColumns[kind].map((name) => {
      const value = row[name] ?? null;
      const isTime = name === "created_at" || name === "updated_at" || fields[name]?.kind === "instant";
      return [name, isTime && typeof value === "string" ? timestamp(value) : value];
    }),
  );
}

/** `wall_time` is a time given without a zone; it moves with the person to another zone. */
function presentReminder({ remind_at, wall_time, reminder_status }: ExportRows["todos"]) {
  if (remind_at === null || reminder_status === null) return null;
  return {
    remind_at: timestamp(remind_at),
    wall_time: wall_time?.replace(" ", "T") ?? null,
    status: reminder_status,
  };
}
