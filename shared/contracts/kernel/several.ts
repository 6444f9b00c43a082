import { type Static, Type } from "typebox";
import type { Refused } from "../../errors.ts";
import { type CommandContract, command } from "./contract.ts";

/** The most things of one tool call. */
export const maxSeveral = 25;

/** One thing of a call: the input of its own command, or the front door's refusal. */
export type SeveralItem = Readonly<{ input: Record<string, unknown> }> | Refused;
/** The result of one thing. */
export type SeveralEnd = Readonly<{ body: unknown }> | Refused;

const object = Type.Object({});
const Several = Type.Object({
  items: Type.Array(Type.Unsafe<SeveralItem>(object), { minItems: 1, maxItems: maxSeveral }),
  /** The common part of all inputs. It may be long, so it travels once. */
  alike: Type.Optional(Type.Unsafe<Record<string, unknown>>(object)),
});
const Ends = Type.Object({ ends: Type.Array(Type.Unsafe<SeveralEnd>(object)) });

export type SeveralInput = Static<typeof Several>;
export type SeveralOutput = Static<typeof Ends>;

/** The command of a tool call that does the same with several things. Only agents have it; programs send groups. */
export const severalOf = <const Name extends string>({
  name,
  scopes,
  summary,
  dayField,
  fieldScopes,
}: Pick<CommandContract<Name>, "name" | "scopes" | "summary" | "dayField" | "fieldScopes">): CommandContract<
  `${Name}-many`,
  typeof Several,
  typeof Ends
> => ({
  ...command({
    name: `${name}-many` as const,
    scopes,
    summary: `${summary}; several`,
    input: Several,
    output: Ends,
  }),
  ...(dayField !== undefined && { dayField }),
  ...(fieldScopes && { fieldScopes }),
  apart: true,
});

/** Input fields of a command, or of each thing in a command of several things. */
export function fieldsOfEach(input: object): readonly Record<string, unknown>[] {
  const { items, alike } = input as Partial<SeveralInput>;
  if (!Array.isArray(items)) return [input as Record<string, unknown>];
  return items.flatMap((item: SeveralItem) => ("input" in item ? [{ ...alike, ...item.input }] : []));
}
