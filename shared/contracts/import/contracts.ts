import { Type } from "typebox";
import { actionKeyFields } from "../action/contracts.ts";
import { command } from "../kernel/contract.ts";
import { Nullable, OneOf, WholeNumber } from "../kernel/fields.ts";
import { ImportKey, importedKinds } from "./things.ts";

/** The most things, completions and JSON of one import, and so of its waiting parts and of its row in the log. */
export const maxImported = { things: 2_000, completions: 20_000, length: 2_000_000 } as const;

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
