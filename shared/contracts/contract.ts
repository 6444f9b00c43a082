import type { Static, TObject, TSchema } from "typebox";
import type { FieldErrors } from "../errors.ts";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One REST route; `{habit_id}` in the path is the input field of that name. */
export type Route = Readonly<{
  method: Method;
  path: `/${string}`;
  status: 200 | 201 | 204;
  /** Fields that this route demands although the command alone does not (PUT beside PATCH). */
  required?: readonly string[];
}>;

/** One MCP tool: its own lean arguments, turned into the contract's input. */
export type Tool<Input = unknown, Arguments extends TObject = TObject> = Readonly<{
  name: string;
  description: string;
  destructive: boolean;
  /** Whether a second call with the same arguments changes nothing more. */
  idempotent: boolean;
  arguments: Arguments;
  /** Rules that one argument's schema cannot say. */
  refine?(args: Static<Arguments>): FieldErrors | undefined;
  toInput(args: Static<Arguments>): Input;
}>;

/**
 * What a caller may ask for, defined once: both doors, the queue's payload, the worker and the OpenAPI
 * document read it from here.
 */
export type Contract<Input extends TObject = TObject, Output extends TSchema = TSchema> = Readonly<{
  kind: "command" | "query";
  name: string;
  /** All of them are needed. None: not reachable with a bearer token. */
  scopes: readonly Scope[];
  summary: string;
  rest?: readonly Route[];
  mcp?: Tool<Static<Input>>;
  input: Input;
  output: Output;
  /** Rules that one field's schema cannot say. */
  refine?(input: Static<Input>): FieldErrors | undefined;
}>;

type Definition<Name extends string, Input extends TObject, Output extends TSchema> = Omit<
  Contract<Input, Output>,
  "kind" | "name"
> & {
  name: Name;
};

/** Declares a mutation: it travels through the queue and a worker answers it. */
export function command<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output>,
) {
  return { kind: "command" as const, ...definition };
}

/** Declares a read: the front door answers it straight from Postgres. */
export function query<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output>,
) {
  return { kind: "query" as const, ...definition };
}

/** Keeps the argument types of a tool while it stands in a contract. */
export function tool<Arguments extends TObject, Input>(definition: Tool<Input, Arguments>): Tool<Input> {
  return definition as Tool<Input>;
}
