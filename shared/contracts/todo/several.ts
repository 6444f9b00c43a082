import { type Static, Type } from "typebox";
import type { Refused } from "../../errors.ts";
import { command } from "../kernel/contract.ts";

/** The most things of one tool call. */
export const maxSeveral = 25;

/** One thing of a call: the input of the command that it would be alone, or why the front door refuses it. */
export type SeveralItem = Readonly<{ input: Record<string, unknown> }> | Refused;
/** The result of one thing. */
export type SeveralEnd = Readonly<{ body: unknown }> | Refused;

const object = Type.Object({});
const Several = Type.Object({
  items: Type.Array(Type.Unsafe<SeveralItem>(object), { minItems: 1, maxItems: maxSeveral }),
  /** The shared part of all inputs, which may be long, so it travels once. */
  alike: Type.Optional(Type.Unsafe<Record<string, unknown>>(object)),
});
const Ends = Type.Object({ ends: Type.Array(Type.Unsafe<SeveralEnd>(object)) });

export type SeveralInput = Static<typeof Several>;
export type SeveralOutput = Static<typeof Ends>;

export const createTodos = command({
  name: "todo.create-many",
  apart: true,
  scopes: ["todos:write"],
  summary: "Create several todos by one call, each of which can be refused alone",
  input: Several,
  output: Ends,
});

/** Only agents have these; scripts have batches. */
export const updateTodos = command({
  name: "todo.update-many",
  apart: true,
  scopes: ["todos:write"],
  summary: "Change several todos alike by one call",
  input: Several,
  output: Ends,
});
