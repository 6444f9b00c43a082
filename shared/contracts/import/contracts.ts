import { type TSchema, Type } from "typebox";
import { command } from "../kernel/contract.ts";
import { WholeNumber } from "../kernel/fields.ts";
import { ImportedCategory, ImportedHabit, ImportedHistory, ImportedTodo } from "./things.ts";

/**
 * The most things, completions and JSON of one import. It is one transaction, which blocks its worker while it
 * builds rows: 0.2 s, and 0.7 s for 5,000 things.
 */
export const maxImported = { things: 2_000, completions: 20_000, length: 2_000_000 } as const;

/** The most waiting parts of a file; more than `maxImported` never needs. The next file replaces them. */
export const maxImportParts = 100;

const ImportId = Type.String({ format: "uuid" });
const Some = <Item extends TSchema>(item: Item) => Type.Optional(Type.Array<Item>(item, { minItems: 1 }));

export const stageImport = command({
  name: "import.stage",
  scopes: [],
  summary: "Keep a part of a file, one kind of things, until its person says yes to it",
  input: Type.Object({
    import_id: ImportId,
    part: WholeNumber(0, maxImportParts - 1),
    categories: Some(ImportedCategory),
    habits: Some(ImportedHabit),
    histories: Some(ImportedHistory),
    todos: Some(ImportedTodo),
  }),
  output: Type.Null(),
});

/** No route or tool leads here. It has scopes, because an import is logged and can be undone like actions of agents. */
export const applyImport = command({
  name: "import.apply",
  apart: true,
  scopes: ["habits:write", "todos:write", "categories:write"],
  summary: "Make everything of a file that waits, or nothing of it",
  input: Type.Object({ import_id: ImportId, parts: WholeNumber(1, maxImportParts) }),
  output: Type.Object({
    categories: Type.Integer(),
    habits: Type.Integer(),
    completions: Type.Integer(),
    todos: Type.Integer(),
  }),
});
