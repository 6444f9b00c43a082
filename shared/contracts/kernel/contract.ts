import type { Static, TObject, TSchema } from "typebox";
import type { FieldProblems, Refused, ResourceName } from "../../errors.ts";
import type { McpResource } from "./mcp-resource.ts";
import type { Scope } from "./scopes.ts";
import type { RoutePath } from "./tags.ts";
import type { QueryTool, Tool } from "./tool.ts";

/** A request and its answer, as the OpenAPI document shows them; a test replays each one. */
type Example<Input, Output> = Readonly<{ input: Input; output: Output }>;

/** One REST route; `{habit_id}` in the path is the input field of that name. */
export type Route<Input = object, Output = unknown> = Readonly<{
  /** The method name for this route in generated clients. */
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: RoutePath;
  status: 200 | 201 | 204;
  /** Fields that this route demands although the command alone does not (PUT beside PATCH). */
  required?: readonly string[];
  example: Example<Input, Output>;
}>;

/** Routes whose examples have the types of their contract. */
type Routes<Input extends TObject, Output extends TSchema> = readonly Route<
  Static<Input> & object,
  Static<Output>
>[];

/** The parts that commands and queries have in common. */
type Definition<Name extends string, Input extends TObject, Output extends TSchema> = Readonly<{
  name: Name;
  /** A token needs all of them. With none and no route, a contract cannot be reached with a bearer token. */
  scopes: readonly Scope[];
  summary: string;
  /** The resource that the id in a route's path names. */
  resource?: ResourceName;
  /** Its 409, where the state of the resource can refuse it. */
  conflict?: Refused;
  rest?: readonly Route[];
  /** Fields of the input that only its tool takes, because REST has addresses of its own for them. */
  toolOnly?: readonly string[];
  /** The date that is the user's today when it is left out: then the same request on another day is another one. */
  dayField?: string;
  input: Input;
  output: Output;
  /** Rules that one field's schema cannot state. An input without fields breaks none. */
  refine?(input: Static<Input>): FieldProblems | undefined;
}>;

/**
 * A request that callers may make, defined once: both doors, the queue's payload, the worker, the OpenAPI document and
 * the log of agents' actions read it from here.
 */
export type CommandContract<
  Name extends string = string,
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
> = Definition<Name, Input, Output> &
  Readonly<{
    kind: "command";
    mcp?: Tool;
    /** It can take long, so it travels as the only command of its user and gets a transaction of its own. */
    apart?: boolean;
  }>;

export type QueryContract<
  Name extends string = string,
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
> = Definition<Name, Input, Output> &
  Readonly<{
    kind: "query";
    mcp?: QueryTool;
    mcpResource?: McpResource;
    /** The field with a search text. A search reads everything, so it waits for others and is never coalesced. */
    searchField?: string;
  }>;

/** Declares a mutation, which travels through the queue and is answered by a worker. */
export function command<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output> &
    Readonly<{
      rest?: Routes<Input, Output>;
      mcp?: Tool<Static<Input> & object, Static<Output>>;
      apart?: boolean;
    }>,
): CommandContract<Name, Input, Output> {
  return { kind: "command", ...definition };
}

/** Declares a read, which the front door answers straight from Postgres. */
export function query<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output> &
    Readonly<{
      rest?: Routes<Input, Output>;
      mcp?: QueryTool<Static<Input> & object, Static<Output>>;
      mcpResource?: McpResource<Static<Output>>;
      searchField?: keyof Static<Input> & string;
    }>,
): QueryContract<Name, Input, Output> {
  return { kind: "query", ...definition };
}
