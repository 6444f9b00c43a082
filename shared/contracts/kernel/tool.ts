import {
  type Static,
  type TBoolean,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from "typebox";
import type { Today } from "../../domain/day/day.ts";
import type { FieldProblems } from "../../errors.ts";
import { type DayFields, numberOfDigits } from "./fields.ts";

/** A call's arguments as sent: they are unchecked. */
export type SentArguments = Readonly<Record<string, unknown>>;

/** Hosts in strict mode send every argument, with one of these values for an absent one. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** @returns the arguments without absent ones */
export const givenIn = (args: SentArguments): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !isEmpty(value)));

/** @returns undefined for an absent argument, also if every object has a property of that name */
export const argument = (args: SentArguments, name: string): unknown =>
  Object.hasOwn(args, name) && !isEmpty(args[name]) ? args[name] : undefined;

export function idIn(args: SentArguments, name: string): number | undefined {
  const id = numberOfDigits(argument(args, name));
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** The answer of a tool: the same facts twice, as lines for reading and with REST's names. */
export type ToolResult = Readonly<{
  lines: readonly string[];
  facts: Readonly<Record<string, unknown>>;
  /** True if it names a reminder that would reach nobody. */
  reachesNobody?: boolean;
  /** True if it names a deleted thing, which the person can bring back. */
  canReturn?: boolean;
}>;

/**
 * Leaves out null and false, which agents assume for absent facts; this saves tokens. A plain loop, because
 * building it from lists of entries took nine times as long.
 */
export function lean(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in facts) {
    const value = facts[name];
    if (value !== null && value !== false) stated[name] = value;
  }
  return stated;
}

/**
 * The facts that a schema names, in its order: of a thing, but for those that are given otherwise. What is null or false
 * is left out, as by `lean`.
 */
export function factsBy(
  { properties }: TObject,
  thing: Readonly<Record<string, unknown>>,
  otherwise: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in properties) {
    const value = name in otherwise ? otherwise[name] : thing[name];
    if (value != null && value !== false) stated[name] = value;
  }
  return stated;
}

type Leaned<Schema extends TSchema> =
  Schema extends TUnion<[infer Value extends TSchema, TNull]>
    ? TOptional<Value>
    : Schema extends TBoolean
      ? TOptional<Schema>
      : Schema;

/** The schema of facts that `lean` leaves: what can be null or false is optional. */
export const LeanObject = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(leaned))) as unknown as TObject<{
    [Name in keyof Properties]: Leaned<Properties[Name]>;
  }>;

function leaned([name, schema]: readonly [string, TSchema]): [string, TSchema] {
  if (Type.IsUnion(schema) && schema.anyOf.some(Type.IsNull)) {
    const [value] = schema.anyOf;
    if (value) return [name, Type.Optional(value)];
  }
  return [name, Type.IsBoolean(schema) ? Type.Optional(schema) : schema];
}

/** The facts of a deletion; the door adds the page where the person brings the thing back. */
export const deletionFacts = { brought_back_at: Type.Optional(Type.String()) };

/** Facts before `lean`: the compiler finds one that is missing in their schema. */
export type Unleaned<Schema extends TObject> = {
  [Name in keyof Static<Schema>]?: Static<Schema>[Name] | null;
};

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

/** A read that people attach to a conversation, from a menu of their MCP client. */
export type McpResource<Output = unknown> = Readonly<{
  /** Its address; `{id}` at the end stands for the id of one thing. */
  uri: string;
  /** The input field of the contract that takes the id. */
  idField?: string;
  name: string;
  title: string;
  description: string;
  lines(output: Output, today: Today): readonly string[];
  /** Its object in the log, after “Looked at”; the thing of its id follows. */
  looksAt: string;
}>;

/** The log's name for a read of a resource; its only argument is `uri`. */
export const resourceRead = "resources/read";

/** @returns the input for the read that an address means; undefined if it means another resource, or none */
export function inputOfUri(
  { uri, idField }: McpResource,
  sent: unknown,
): Readonly<Record<string, number>> | undefined {
  if (idField === undefined) return sent === uri ? {} : undefined;
  const prefix = uri.replace("{id}", "");
  const id = typeof sent === "string" && sent.startsWith(prefix) && numberOfDigits(sent.slice(prefix.length));
  return typeof id === "number" && Number.isSafeInteger(id) ? { [idField]: id } : undefined;
}

/** One form of a call: its arguments, turned into the input of a command or query, and the answer. */
export type Form<Input = object, Output = unknown, Arguments extends TObject = TObject> = Readonly<{
  arguments: Arguments;
  /** Rules that one argument's schema cannot state. */
  refine?(args: Static<Arguments>): FieldProblems | undefined;
  toInput(args: Static<Arguments>): Input;
  /** The schema of the result's facts, for the tool's output schema. */
  facts: TObject;
  /** The answer that an agent gets when the call succeeded. */
  result(output: Output, input: Input): ToolResult;
}>;

/** A form for another command than the tool's own. */
export type OtherForm<Input = object, Output = unknown, Arguments extends TObject = TObject> = Form<
  Input,
  Output,
  Arguments
> &
  Readonly<{
    command: string;
    /** The argument that selects this form, unless it is false. */
    by: string;
    /** Another argument that a call must have for this form. */
    and?: string;
    /** The shown schema of `by`, if it is an object whose properties are the form's other arguments. */
    within?: TObject;
  }>;

/** One MCP tool: its own short arguments, turned into the contract's input, and its texts for agents and people. */
export type Tool<Input = object, Output = unknown, Arguments extends TObject = TObject> = Form<
  Input,
  Output,
  Arguments
> &
  Readonly<{
    name: string;
    /** The title that clients show to people. */
    title: string;
    description: string;
    destructive: boolean;
    /** True if a second call with the same arguments changes nothing more. */
    idempotent: boolean;
    /**
     * The lists by which a call names several things, each with the argument of one thing whose values it has; null for
     * a list of objects of this tool's arguments. All other arguments apply to each thing.
     */
    many?: Readonly<Record<string, string | null>>;
    /** Refusals for arguments that agents expect here, naming where they belong. */
    elsewhere?: FieldProblems;
    /** Other forms. The first form that a call selects counts, else the tool's own. */
    forms?: readonly OtherForm[];
  }>;

/**
 * The tool of a read, with its object in the log after “Looked at”. Its output has the user's day and zone. A change gets
 * both with the worker's reply.
 */
export type QueryTool<Input = object, Output = unknown> = Tool<Input, Output> &
  Readonly<{ looksAt: string; day(output: Output): Readonly<{ date: string; timeZone: string }> }>;

/** True if a call's arguments select a form. */
export const asksFor = ({ by, and = by }: Partial<OtherForm>, args: SentArguments): boolean =>
  [by, and].every((name) => name === undefined || isAsked(args, name));

/** An argument selects its form, unless it is absent or false. */
export const isAsked = (args: SentArguments, name: string): boolean => {
  const value = argument(args, name);
  return value !== undefined && value !== false;
};

/** Declares the tool of a command, with typed arguments. */
export function tool<Arguments extends TObject, Input, Output>(
  definition: Tool<Input, Output, Arguments>,
): Tool<Input, Output> {
  return definition;
}

/** Declares another form of a tool. */
export function form<Arguments extends TObject, Input extends object, Output>(
  definition: OtherForm<Input, Output, Arguments>,
): OtherForm {
  return definition;
}

/** Declares the tool of a query. */
export function queryTool<Arguments extends TObject, Input, Output extends DayFields>(
  definition: Tool<Input, Output, Arguments> & Readonly<{ looksAt: string }>,
): QueryTool<Input, Output> {
  return { ...definition, day: ({ today, time_zone }) => ({ date: today, timeZone: time_zone }) };
}

/** A tool clears a field by its name, because hosts in strict mode send null for each absent argument. */
type Cleared = Readonly<{ clear?: readonly string[] }> & Readonly<Record<string, unknown>>;

/** @param about the argument that the refusal of an empty change names */
export function checkChanges(about: string, { clear = [], ...given }: Cleared): FieldProblems | undefined {
  if (clear.length === 0 && Object.keys(given).length === 0)
    return {
      [about]: [
        {
          reason: "No change was given",
          next: "give at least one field a value, and empty fields by clear, not by null.",
        },
      ],
    };
  const both = clear.find((name) => given[name] !== undefined);
  const reason = `The clear field names ${both}, which is also given a value`;
  return both === undefined ? undefined : { clear: [{ reason, next: "send one of them." }] };
}

/** The fields of a change, with null for cleared ones. */
export const clearing = <Given extends Readonly<{ clear?: readonly string[] }>>({
  clear = [],
  ...fields
}: Given): Omit<Given, "clear"> => ({ ...fields, ...Object.fromEntries(clear.map((name) => [name, null])) });
