import type { Static, TObject } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import type { DayFields } from "./fields.ts";
import { argument, type SentArguments } from "./sent-arguments.ts";
import type { ToolResult } from "./tool-result.ts";

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
