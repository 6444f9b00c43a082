import type { Static, TObject } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import type { DayFields } from "./fields.ts";
import type { ToolResult } from "./tool-result.ts";
import type { LooksAt, SentArguments } from "./tool-sentence.ts";

/** One MCP tool: its own lean arguments, turned into the contract's input, and what agents and people read of it. */
export type Tool<Input = object, Output = unknown, Arguments extends TObject = TObject> = Readonly<{
  name: string;
  /** The title that clients show to people. */
  title: string;
  description: string;
  destructive: boolean;
  /** True if a second call with the same arguments changes nothing more. */
  idempotent: boolean;
  arguments: Arguments;
  /**
   * The argument by which a call names several things, and the command that does what this tool does with each. It is a
   * list of objects of this tool's arguments, or of values of the argument `each`, to which all others apply alike.
   */
  several?: Readonly<{ argument: string; command: string; each?: keyof Static<Arguments> & string }>;
  /** Refusals for arguments that agents expect here, which name the right place. */
  elsewhere?: FieldProblems;
  /** Rules that one argument's schema cannot state. */
  refine?(args: Static<Arguments>): FieldProblems | undefined;
  toInput(args: Static<Arguments>): Input;
  /** The answer that an agent gets when the call succeeded. */
  result(output: Output, input: Input): ToolResult;
  /** Another command that some arguments ask for; it takes its input from the same arguments and needs the same scopes. */
  instead?: Readonly<{
    command: string;
    when(args: SentArguments): boolean;
    result(output: never, input: never): ToolResult;
  }>;
}>;

/** The tool of a read, whose output has the user's day and zone; a change's come with the worker's reply. */
export type QueryTool<Input = object, Output = unknown> = Tool<Input, Output> &
  Readonly<{ looksAt: LooksAt; day(output: Output): Readonly<{ date: string; timeZone: string }> }>;

/** Declares the tool of a command; the types of its arguments hold within the declaration. */
export function tool<Arguments extends TObject, Input, Output>(
  definition: Tool<Input, Output, Arguments>,
): Tool<Input, Output> {
  return definition;
}

/** Declares the tool of a query. */
export function queryTool<Arguments extends TObject, Input, Output extends DayFields>(
  definition: Tool<Input, Output, Arguments> & Readonly<{ looksAt: LooksAt }>,
): QueryTool<Input, Output> {
  return { ...definition, day: ({ today, time_zone }) => ({ date: today, timeZone: time_zone }) };
}
