import type { ExportRows, KindOfThing } from "../../../queries/import/export-rows.ts";
import { fileColumns, presentInFile } from "./exported-things.ts";

/** Columns for human readers that replace one column of the file for import. */
const inPlaceOf: Readonly<Partial<Record<KindOfThing, Readonly<Record<string, readonly string[]>>>>> = {
  habits: {
    pauses: [],
    skips: [],
    category_id: ["category_id", "category", "completions", "longest_streak"],
  },
  todos: {
    category_id: ["category_id", "category"],
    reminder: ["remind_at", "remind_at_wall_time", "reminder_status"],
  },
};

/** The columns of a kind's table, in order. */
export const columnsOfTable = (kind: KindOfThing): readonly string[] =>
  fileColumns[kind].flatMap((name) => inPlaceOf[kind]?.[name] ?? [name]);

const additions: { [Kind in KindOfThing]: (row: ExportRows[Kind]) => Readonly<Record<string, unknown>> } = {
  categories: () => ({}),
  habits: (row) => ({
    category: row.category_name,
    completions: row.completions_count,
    longest_streak: row.longest_streak,
  }),
  completions: () => ({}),
  amounts: () => ({}),
  todos: (row) => ({
    category: row.category_name,
    remind_at: row.remind_at,
    remind_at_wall_time: row.wall_time,
    reminder_status: row.reminder_status,
  }),
};

export const presentInTable = <Kind extends KindOfThing>(
  kind: Kind,
  row: ExportRows[Kind],
): Readonly<Record<string, unknown>> => ({ ...presentInFile[kind](row), ...additions[kind](row) });
