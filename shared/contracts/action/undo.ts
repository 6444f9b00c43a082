import { type Static, Type } from "typebox";
import { command } from "../kernel/contract.ts";
import { Id, Nullable, OneOf } from "../kernel/fields.ts";
import { actionKeyFields, Instant } from "./contracts.ts";

/** The most actions that one command undoes. */
export const maxUndone = 100;
/** The most text of images (UTF-16 units) for one command. Parsing and writing it blocks a worker for some 50 ms. */
export const maxUndoneLength = 500_000;
/** Days for which an action can be undone: as long as images, and completions of deleted habits, are kept. */
export const undoDays = 30;

/** Reasons why something cannot be undone. */
export const undoConflicts = [
  "unknown",
  "too_old",
  "nothing_changed",
  "taken_back",
  "changed_since",
  "deleted_since",
  "made_again",
  "in_use",
  "category_gone",
] as const;

export const UndoConflict = Type.Object({
  row: Nullable(Type.String({ description: "Such as todos/5; null where it is about the action itself" })),
  fields: Type.Array(Type.String(), { description: "Empty where it is about the whole row" }),
  why: OneOf(undoConflicts),
});

export type UndoConflict = Readonly<Static<typeof UndoConflict>>;

/** The outcome for one action, real or previewed: `part` when some of it had to stay. */
export const UndoEnd = Type.Object({
  ...actionKeyFields,
  undone: OneOf(["whole", "part", "none"]),
  conflicts: Type.Array(UndoConflict),
});

/** A category that came back, and whose members come back in later steps. */
const MembersLeft = Type.Object({ category_id: Id });

/**
 * A step of a longer undo undoes the remaining actions not at all, or in part. A step with all of its actions need
 * not leave any for a later one.
 */
export const stepsOfRun = ["whole", "whole_unless_all", "part"] as const;

export const undoActions = command({
  name: "action.undo",
  apart: true,
  scopes: [],
  summary:
    "Take actions back, the newest first, as far as nobody changed since what they did; as many of them as one transaction takes",
  input: Type.Object({
    actions: Type.Array(Type.Object(actionKeyFields), { minItems: 1, maxItems: maxUndone }),
    step: Type.Optional(OneOf(stepsOfRun)),
  }),
  output: Type.Object({
    ends: Type.Array(UndoEnd, { description: "The first actions: those that were undone or tried" }),
    left: Type.Array(MembersLeft),
  }),
});

export const undoRun = command({
  name: "action.undo-run",
  apart: true,
  scopes: [],
  summary: "Take back all that a token did in a time, in as many steps as that takes",
  input: Type.Object({ token_id: Type.String({ minLength: 1 }), from: Instant, to: Instant }),
  output: Type.Object({ work_id: Type.String({ format: "uuid" }) }),
});
