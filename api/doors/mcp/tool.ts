import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { CommandName, Contract, QueryName } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../../shared/contracts/kernel/contract.ts";
import { type DayFields, Name } from "../../../shared/contracts/kernel/fields.ts";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import type { FieldErrors, FieldProblems, Refused } from "../../../shared/errors.ts";
import type { Fields } from "../../http/input.ts";

/** The answer of a tool: the same facts twice, as lines for reading and with REST's names. */
export type ToolResult = Readonly<{
  lines: readonly string[];
  facts: Readonly<Record<string, unknown>>;
  /** True if it names a reminder that would reach nobody. */
  reachesNobody?: boolean;
  /** True if it names a deleted thing, which the person can bring back. */
  canReturn?: boolean;
}>;

/** One act of a call: a command or query with its input, and the answer that its output becomes. */
export type ToolAct = Readonly<{
  contract: Contract;
  fields: Fields;
  result(output: unknown): ToolResult;
  /** The user's day in the output of a read. A change gets it with the worker's reply. */
  dayOf?(output: unknown): Today;
}>;

/** One MCP tool: its texts for agents and people, its arguments, and what a call does with them. */
export type Tool<Arguments extends TObject = TObject> = Readonly<{
  name: string;
  /** The title that clients show to people. */
  title: string;
  description: string;
  /** A token needs all of them for any call. */
  scopes: readonly Scope[];
  /** Arguments that need a further scope. */
  argumentScopes?: Readonly<Record<string, Scope>>;
  destructive: boolean;
  /** True if a second call with the same arguments changes nothing more. */
  idempotent: boolean;
  arguments: Arguments;
  /**
   * The lists by which a call names several things, each with the argument of one thing whose values it has; null for
   * a list of objects of this tool's arguments. All other arguments apply to each thing.
   */
  many?: Readonly<Record<string, string | null>>;
  /** Rules that one argument's schema cannot state. They hold for a part of the arguments, too. */
  refine?(args: Partial<Static<Arguments>>): FieldProblems | undefined;
  /** Rules of the contract, which checks them itself: told beside other errors, so that one refusal has all. */
  alsoTold?(args: Partial<Static<Arguments>>): FieldProblems | undefined;
  /** Several acts are carried out as one group. */
  act(args: Static<Arguments>): ToolAct | readonly ToolAct[] | Refused;
  facts: TObject;
  /** The object of a read in the log, after “Looked at”; a tool without it writes. */
  looksAt?: string;
}>;

export const tool = <Arguments extends TObject>(definition: Tool<Arguments>): Tool => definition;

export const does = <Input extends TObject, Output extends TSchema>(
  contract: CommandContract<CommandName, Input, Output>,
  input: Static<Input> & object,
  result: (output: Static<Output>, input: Static<Input> & object) => ToolResult,
): ToolAct => ({
  ...{ contract, fields: { ...input } },
  result: (output: Static<Output>) => result(output, input),
});

/** The act of a read, whose output has the user's day. */
export const reads = <Input extends TObject, Output extends TSchema>(
  contract: QueryContract<QueryName, Input, Output> & (Static<Output> extends DayFields ? unknown : never),
  input: Static<Input> & object,
  result: (output: Static<Output>, input: Static<Input> & object) => ToolResult,
): ToolAct => ({
  ...{ contract, fields: { ...input } },
  result: (output: Static<Output>) => result(output, input),
  dayOf: ({ today, time_zone }: DayFields) => ({ date: today, timeZone: time_zone }),
});

/**
 * Leaves out null and false, which agents assume for absent facts; this saves tokens. A plain loop, because
 * building it from lists of entries took nine times as long.
 */
export function lean(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in facts) {
    const value = facts[name];
    if (value != null && value !== false) stated[name] = value;
  }
  return stated;
}

/** The facts that a schema names, in its order: of a thing, but for those that are given otherwise. */
export function factsBy(
  { properties }: TObject,
  thing: Readonly<Record<string, unknown>>,
  otherwise: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in properties) stated[name] = name in otherwise ? otherwise[name] : thing[name];
  return lean(stated);
}

/** The schema of facts that `lean` leaves: what can be null or false is optional. */
export const LeanObject = (properties: TProperties): TObject =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(leaned)));

function leaned([name, schema]: readonly [string, TSchema]): [string, TSchema] {
  if (Type.IsUnion(schema) && schema.anyOf.some(Type.IsNull)) {
    const [value] = schema.anyOf;
    if (value) return [name, Type.Optional(value)];
  }
  return [name, Type.IsBoolean(schema) ? Type.Optional(schema) : schema];
}

/** The facts of a deletion; the door adds the page where the person brings the thing back. */
export const deletionFacts = { brought_back_at: Type.Optional(Type.String()) };

/** A stored text on one line and in quotation marks, so that it cannot pass for Kept's own words. */
export const quoteStored = (text: string): string => JSON.stringify(text.replace(/\s+/g, " ").trim());

type Words = Readonly<{ description: string | null; written_by: string | null }>;

/** Lines of their own: a description can be long, and words of another app are none of the person. */
export const wordsOfOthers = ({ description, written_by }: Words): string =>
  (description === null ? "" : `\n  description: ${quoteStored(description)}`) +
  (written_by == null ? "" : `\n  written_by: ${quoteStored(written_by)}`);

/** The parts that apply, separated by commas. */
export const joined = (parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter((part) => part !== false && part != null).join(", ");

/** A misspelt name makes no category: only `new_category` does. */
export const categoryNames = { category: Type.Optional(Name), new_category: Type.Optional(Name) };

/** Making a category needs its own scope. */
export const newCategoryScope = { new_category: "categories:write" } as const;

const waysToCategory = ["category", "new_category", "category_id"] as const;
type WaysToCategory = Readonly<{ [Way in (typeof waysToCategory)[number]]?: unknown }>;

/** A tool takes a category by its name, by the name of a new one, or by its id. */
export function checkOneCategory(args: WaysToCategory): FieldErrors | undefined {
  const [first, second] = waysToCategory.filter((name) => args[name] !== undefined);
  if (first === undefined || second === undefined) return undefined;
  return { [first]: [`The ${first} field cannot be given together with ${second}.`] };
}
