import type { Static, TObject, TSchema } from "typebox";
import type { AccountEvent } from "../../domain/journal/events.ts";
import type { WayOutKind } from "../../domain/ways-out.ts";
import type { FieldProblems, Refused, ResourceName } from "../../errors.ts";
import type { Scope } from "./scopes.ts";

/** Groups of REST operations in documents and clients, by the first part of the path. */
export const tags = {
  me: { name: "Me", description: "The user's day, and what this token may do" },
  dashboard: { name: "Dashboard", description: "One look at today" },
  habits: {
    name: "Habits",
    description:
      "What recurs, with streaks that survive some missed days. A bad habit is completed by having avoided it.",
  },
  todos: { name: "Todos", description: "What is done once, or again by a rule, and the reminders for it" },
  "quick-add": { name: "Quick add", description: "Todos and habits in words" },
  changes: {
    name: "Changes",
    description: "What was written or deleted since the last question, for clients that keep a copy",
  },
  categories: { name: "Categories", description: "Themes of habits and todos" },
  approvals: { name: "Approvals", description: "Requests that wait for the person's approval" },
  webhooks: { name: "Webhooks", description: "Changes that Kept posts to an address" },
  batch: { name: "Batch", description: "Many changes by one request" },
} as const;

type TagKey = keyof typeof tags;

/** A path below /api/v1. A new first part does not compile without its tag. */
type RoutePath = `/${TagKey}` | `/${TagKey}/${string}`;

/** A request and its answer, as the OpenAPI document shows them; a test replays each one. */
type Example<Input, Output> = Readonly<{ input: Input; output: Output }>;

/** One REST route; `{habit_id}` in the path is the input field of that name. */
export type Route<Input = object, Output = unknown> = Readonly<{
  /** The method name for this route in generated clients. */
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: RoutePath;
  status: 200 | 201 | 204;
  /** Fields that this route demands and the command does not (PUT beside PATCH). */
  required?: readonly string[];
  /** Set when the answer is a stream of outputs (server-sent events). */
  streams?: true;
  example: Example<Input, Output>;
}>;

/** Declares a route. The status is 200 unless a thing is made, or nothing is answered. */
export const route = <Input, Output>(
  operationId: string,
  method: Route["method"],
  path: RoutePath,
  example: Example<Input, Output>,
  more: Pick<Route, "required" | "streams"> & Readonly<{ status?: 201 }> = {},
): Route<Input, Output> => ({
  ...{ operationId, method, path, example },
  status: example.output === null ? 204 : 200,
  ...more,
});

/** Routes with examples of their contract's types, null for an answer without content. */
type Routes<Input extends TObject, Output extends TSchema> = readonly Route<
  Static<Input> & object,
  Static<Output> | null
>[];

type Definition<Name extends string, Input extends TObject, Output extends TSchema> = Readonly<{
  name: Name;
  /** A token needs all of them. A contract without scopes and routes is out of reach for bearer tokens. */
  scopes: readonly Scope[];
  summary: string;
  /** The resource that the id in a route's path names. */
  resource?: ResourceName;
  /** The documented 409, if the state of the resource can refuse the request. */
  conflict?: Refused;
  rest?: readonly Route[];
  /** Input fields that only its tool takes, because REST has addresses of its own for them. */
  toolOnly?: readonly string[];
  /** Further scopes that an input needs. */
  inputScopes?(input: Static<Input>): readonly Scope[];
  /** The date field that means the user's today when absent: then the same request on another day is another one. */
  dayField?: string;
  input: Input;
  output: Output;
  /** Rules that one field's schema cannot state. An input without fields breaks none. */
  refine?(input: Static<Input>): FieldProblems | undefined;
}>;

/**
 * A request that callers may make, defined once for both doors, the queue's payload, the worker, the OpenAPI
 * document and the log of actions.
 */
export type CommandContract<
  Name extends string = string,
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
> = Definition<Name, Input, Output> &
  OfCommands<Input> &
  Readonly<{
    kind: "command";
    /** A secret in the output. The stored reply leaves it out, so a repeat of the request gets null. */
    secretField?: string;
  }>;

type OfCommands<Input extends TObject> = Readonly<{
  /** The command can take long, so it travels as its user's only command and gets its own transaction. */
  apart?: boolean;
  /** The rows that the account journal gets when the command is carried out. */
  events?(input: Static<Input>): readonly AccountEvent[];
  /** The way out of the account that an input opens. A page asks its person for a proof first. */
  opens?(input: Static<Input>): WayOutKind | undefined;
  /**
   * The act in words, for a command of tokens whose changes have no images: rules treat it as one to ask for.
   * @param address the present address of the webhook that the input names
   */
  asks?(input: Static<Input>, address: string): string;
}>;

export type QueryContract<
  Name extends string = string,
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
> = Definition<Name, Input, Output> &
  Readonly<{
    kind: "query";
    /** The field with a search text. A search reads everything, so it waits for others and is never coalesced. */
    searchField?: string;
  }>;

/** Declares a mutation, which travels through the queue and is answered by a worker. */
export function command<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output> &
    OfCommands<Input> &
    Readonly<{ rest?: Routes<Input, Output>; secretField?: keyof Static<Output> & string }>,
): CommandContract<Name, Input, Output> {
  return { kind: "command", ...definition };
}

/** Declares a read, which the front door answers straight from Postgres. */
export function query<const Name extends string, Input extends TObject, Output extends TSchema>(
  definition: Definition<Name, Input, Output> &
    Readonly<{
      rest?: Routes<Input, Output>;
      searchField?: keyof Static<Input> & string;
    }>,
): QueryContract<Name, Input, Output> {
  return { kind: "query", ...definition };
}
