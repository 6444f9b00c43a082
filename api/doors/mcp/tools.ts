import { INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { TodayFields } from "../../../shared/contracts/kernel/fields.ts";
import { PreviewedChange } from "../../../shared/contracts/kernel/preview.ts";
import { allScopes, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import { argument, type Fields, isObject, parseJson } from "../../http/input.ts";
import { asDeclared, propertiesOf, shownArguments, type Understand, understanding } from "./arguments.ts";
import { shownInApp } from "./resources.ts";
import { refused } from "./result.ts";
import type { Asked, CallTarget, RefusedAt } from "./target.ts";
import type { Tool } from "./tool.ts";
import { tools } from "./tools/index.ts";

type SchemaNode = TSchema & {
  type?: string;
  enum?: readonly string[];
  format?: string;
  pattern?: string;
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  items?: SchemaNode;
  anyOf?: readonly SchemaNode[];
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[] | undefined;
  additionalProperties?: SchemaNode | boolean;
};

/** Explanations beyond an argument's name, by that name or by the title of its schema. A name means the same in every tool. */
const explanations: Readonly<Record<string, string>> = {
  ClockTime: "Local time HH:MM",
  ReminderTime: "Local time such as 2026-11-22T09:00, or an instant with offset",
  context: "Place or tool, such as home",
  cursor: "next_cursor of the page before",
  date: "YYYY-MM-DD",
  done_since: "YYYY-MM-DD",
  due_by: "YYYY-MM-DD",
  due_date: "YYYY-MM-DD",
  due_time: "HH:MM, with a due_date",
  from: "YYYY-MM-DD",
  grace_days: "Missed days in a row that break no streak",
  paused_from: "YYYY-MM-DD",
  query: "Words of title, context or description",
  recurrence: "RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO",
  schedule: "One of its properties; weekday 1 is Monday",
};

function objectSchema({ properties, required }: Pick<TObject, "properties" | "required">) {
  const wired = Object.entries<SchemaNode>(properties).map(([name, schema]) => {
    const description = explanations[name] ?? explanations[schema.title ?? ""];
    return [name, { ...argumentSchema(schema), ...(description !== undefined && { description }) }] as const;
  });
  return {
    type: "object" as const,
    properties: Object.fromEntries(wired),
    ...(required && { required }),
    additionalProperties: false,
  };
}

/** A bound that nobody meets by accident is left to the refusal. */
const farAway = 10_000;

/**
 * An argument schema for agents: only what a model can act on, because every client pays for the whole list, and only
 * what every host takes (test/architecture/tools.test.ts).
 */
function argumentSchema(schema: SchemaNode): object {
  const { type, enum: values, items, minimum, maximum, required } = schema;
  if (schema.anyOf || type === "object") return plainObject(propertiesOf(schema), required);
  if (values) return { type: "string", enum: values };
  // The words of a list are names of other arguments, so they are left to the refusal.
  if (type === "array" && items)
    return { type, items: items.enum ? { type: "string" } : argumentSchema(items) };
  const isBounded = type === "integer" && maximum !== undefined && maximum < farAway;
  return isBounded ? { type, minimum, maximum } : { type };
}

/** An object within the arguments. Its names are explained where they stand alone. */
const plainObject = (properties: TProperties, required: readonly string[] = []) => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, argumentSchema(schema)]),
  ),
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** The words that a change replaced, by field. */
const FormerWords = Type.Object({}, { additionalProperties: Type.String() });

/** The facts of a preview, and of a change that waits for approval. */
const changeFields = {
  preview: Type.Optional(Type.Boolean()),
  changes: Type.Optional(Type.Array(PreviewedChange)),
  former: Type.Optional(FormerWords),
  waiting: Type.Optional(Type.Boolean()),
  approval_id: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  expires_at: Type.Optional(Type.String()),
  approve_at: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
};

const answerFields = {
  ...TodayFields,
  weekday: Type.Optional(Type.String()),
  now: Type.Optional(Type.String({ description: "Local time such as 2026-11-23T15:40" })),
  replayed: Type.Optional(Type.Boolean()),
};

const refusedFields = {
  code: Type.String(),
  message: Type.String(),
  errors: Type.Object({}, { additionalProperties: Type.Array(Type.String()) }),
};

/**
 * The facts of a tool's answers. Only the day and the zone are required, because sdk 1.x checks refusals against
 * the schema, too, and a call for several things answers differently.
 */
function outputSchema({ looksAt, facts, many, arguments: { properties } }: Tool) {
  const named = Object.values(many ?? {}).flatMap((name) => name ?? []);
  const ofThing = Object.fromEntries(named.map((name) => [name, properties[name] ?? Type.Unknown()]));
  const result = Type.Partial(
    Type.Object({ ...facts.properties, ...ofThing, former: FormerWords, ...refusedFields }),
  );
  return {
    type: "object" as const,
    properties: factSchemas({
      ...answerFields,
      ...(looksAt === undefined && changeFields),
      ...facts.properties,
      ...(many && { done: Type.Integer(), results: Type.Array(result) }),
    }),
    required: Object.keys(TodayFields),
  };
}

function factSchemas(properties: Readonly<Record<string, SchemaNode>>) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, factSchema(schema)]));
}

/**
 * A fact's schema without bounds and closed objects, which later releases may widen, and without Kept's own
 * keywords.
 */
function factSchema(schema: SchemaNode): object {
  const { type, enum: values, format, pattern, description, items, anyOf } = schema;
  if (anyOf) return { anyOf: anyOf.map(factSchema) };
  const described = {
    ...(format && { format }),
    ...(pattern && { pattern }),
    ...(description && { description }),
  };
  if (values) return { type: "string", enum: values, ...described };
  if (type === "array" && items) return { type, items: factSchema(items), ...described };
  return type === "object" ? { ...objectOfFacts(schema), ...described } : { type, ...described };
}

function objectOfFacts({ type, properties = {}, required = [], additionalProperties }: SchemaNode): object {
  const others = typeof additionalProperties === "object" && factSchema(additionalProperties);
  if (others) return { type, additionalProperties: others };
  return { type, properties: factSchemas(properties), ...(required.length > 0 && { required }) };
}

/** The scopes that tools need. A 401 names them, so that a client asks for no others (MCP authorization). */
export const toolScopes: readonly Scope[] = allScopes.filter((scope) =>
  tools.some(({ scopes, argumentScopes = {} }) =>
    [...scopes, ...Object.values(argumentScopes)].includes(scope),
  ),
);

type KnownTool = Readonly<{ tool: Tool; shown: TObject; understand: Understand }>;

const knownTools: ReadonlyMap<string, KnownTool> = new Map(
  tools.map((tool) => {
    const shown = shownArguments(tool);
    return [tool.name, { tool, shown, understand: understanding(tool, Object.keys(shown.properties)) }];
  }),
);

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...knownTools.keys()].join(", ")}.`);

/** @returns undefined when the parameters of a tools/call are malformed */
export function askedTool({ name, arguments: sent = {} }: Fields): Asked | undefined {
  const args = typeof sent === "string" ? parseJson(sent) : sent;
  if (typeof name !== "string" || !isObject(args)) return undefined;
  const known = knownTools.get(name);
  return { name, args, target: known ? targetOf(known, args) : unknownTool, refuse: refuseTool };
}

function targetOf({ tool, shown, understand }: KnownTool, args: Fields): CallTarget {
  const given = asDeclared(shown, args);
  const scopes = [...tool.scopes, ...scopesOf(tool, given)];
  return { scopes, writes: tool.looksAt === undefined, understand: () => understand(given) };
}

/** The scopes that single arguments need, also within the objects of a list. */
function scopesOf({ argumentScopes = {} }: Tool, given: Fields): readonly Scope[] {
  const parts = [given, ...Object.values(given).flat().filter(isObject)];
  const isAsked = (name: string) =>
    parts.map((part) => argument(part, name)).some((value) => value !== undefined && value !== false);
  return Object.entries(argumentScopes).flatMap(([name, scope]) => (isAsked(name) ? scope : []));
}

function refuseTool(refusal: Refusal, at: RefusedAt) {
  if (refusal === unknownTool.refusal) throw new ProtocolError(INVALID_PARAMS, refusal.message);
  return refused(refusal, at);
}

/** The answer to tools/list: the same for every token, so that clients know what scopes they could ask for. */
export const toolList = [...knownTools.values()].map(({ tool, shown }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: objectSchema(shown),
  outputSchema: outputSchema(tool),
  annotations: {
    readOnlyHint: tool.looksAt !== undefined,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
  ...(tool.looksAt !== undefined && shownInApp),
}));
