import { type Static, Type } from "typebox";
import type { Refused } from "../../errors.ts";
import { type CommandContract, command } from "./contract.ts";

/** The most things of one tool call. */
export const maxAtOnce = 25;
/** The most things of one command: more than a page shows at once, and few enough for one undo. */
export const maxInCommand = 300;

/** One thing of a call: the input of its own command, or the front door's refusal. */
export type ManyItem = Readonly<{ input: Record<string, unknown> }> | Refused;
/** The result of one thing. */
export type ManyEnd = Readonly<{ body: unknown }> | Refused;

const object = Type.Object({});
const Many = Type.Object({
  items: Type.Array(Type.Unsafe<ManyItem>(object), { minItems: 1, maxItems: maxInCommand }),
  /** The common part of all inputs. It may be long, so it travels once. */
  shared: Type.Optional(Type.Unsafe<Record<string, unknown>>(object)),
});
const Ends = Type.Object({ ends: Type.Array(Type.Unsafe<ManyEnd>(object)) });

export type ManyInput = Static<typeof Many>;
export type ManyOutput = Static<typeof Ends>;

/** The command of a tool call that does the same with several things. Only agents and pages have it; programs send groups. */
export const manyOf = <const Name extends string>({
  name,
  scopes,
  summary,
  dayField,
  fieldScopes,
}: Pick<CommandContract<Name>, "name" | "scopes" | "summary" | "dayField" | "fieldScopes">): CommandContract<
  `${Name}-many`,
  typeof Many,
  typeof Ends
> => ({
  ...command({
    name: `${name}-many` as const,
    scopes,
    summary: `${summary}; several`,
    input: Many,
    output: Ends,
  }),
  ...(dayField !== undefined && { dayField }),
  ...(fieldScopes && { fieldScopes }),
  apart: true,
});

/** Input fields of a command, or of each thing in a command of several things. */
export function fieldsOfEach(input: object): readonly Record<string, unknown>[] {
  const { items, shared } = input as Partial<ManyInput>;
  if (!Array.isArray(items)) return [input as Record<string, unknown>];
  return items.flatMap((item: ManyItem) => ("input" in item ? [{ ...shared, ...item.input }] : []));
}
