import { INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { type CommandName, contracts, type QueryName } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract, QueryContract } from "../../../shared/contracts/kernel/contract.ts";
import { TodayFields } from "../../../shared/contracts/kernel/fields.ts";
import { PreviewedChange } from "../../../shared/contracts/kernel/preview.ts";
import { allScopes, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import {
  argument,
  asksFor,
  type Form,
  isAsked,
  type OtherForm,
  type Tool,
} from "../../../shared/contracts/kernel/tool.ts";
import { type Refusal, refuse } from "../../../shared/errors.ts";
import { isObject } from "../../http/input/body.ts";
import type { KnownNames } from "../../http/input/unknown-names.ts";
import type { Fields } from "../../http/input/validate.ts";
import { createReader, listsOf, type OneTarget, severalTarget, shownLists, withManner } from "./arguments.ts";
import { shownInApp } from "./resources.ts";
import { answered, refused } from "./result.ts";
import type { Asked, CallTarget, RefusedAt } from "./target.ts";

/** One act of a tool, on one thing or on several. */
type ToolAct = Readonly<{ isAskedBy(args: Fields): boolean; target: CallTarget }>;

type CommandOfTool = CommandContract<CommandName>;
type AnyForm = Form & Partial<OtherForm>;

/** The acts of the tool's other forms in their order, then its own. */
const actsOf = (tool: Tool, contract: CommandOfTool): readonly ToolAct[] => [
  ...otherForms(tool).flatMap((form) => actsOfForm(tool, form, commandNamed(form.command))),
  ...actsOfForm(tool, tool, contract),
];

const otherForms = ({ forms = [] }: Tool): readonly OtherForm[] => forms;

function actsOfForm(tool: Tool, form: AnyForm, contract: CommandOfTool): readonly ToolAct[] {
  const one = targetOfOne(tool, form, contract);
  const isAskedBy = (args: Fields) => asksFor(form, args);
  const lists = Object.keys(listsOf(tool, form.arguments));
  const hasList = (args: Fields) => lists.some((list) => argument(args, list) !== undefined);
  const several = { isAskedBy: (args: Fields) => isAskedBy(args) && hasList(args) };
  return [
    { ...several, target: severalTarget(tool, form, one) },
    { isAskedBy, target: one },
  ];
}

function targetOfOne(tool: Tool, form: AnyForm, contract: CommandOfTool): OneTarget {
  const { by, within } = form;
  const own =
    within && by !== undefined
      ? Type.Object({ ...form.arguments.properties, [by]: Type.Optional(within) })
      : form.arguments;
  const input = withManner(own);
  const shown = by === undefined ? withManner(shownArguments(tool)) : input;
  const known: KnownNames = {
    what: by === undefined ? "an argument of this tool" : `an argument beside ${by}`,
    names: Object.keys({ ...shown.properties, ...listsOf(tool, form.arguments) }),
    alwaysListed: true,
  };
  const read = createReader({ form, input, known, elsewhere: tool.elsewhere, refine: contract.refine });
  const given = givenOf(tool);
  return {
    ...{ contract, scopes: contract.scopes },
    read: otherForms(tool).length > 0 ? (args) => read(flattened(given(args), within && by)) : read,
    answer: (success) => answered(form.result(success.body, success.input), success),
  };
}

/** Removes arguments that count as absent: empty lists, and false where true would choose a form. */
function givenOf(tool: Tool): (args: Fields) => Fields {
  const { properties } = shownArguments(tool);
  const asking = otherForms(tool).map(({ by }) => by);
  const isNone = (args: Fields, name: string) =>
    argument(args, name) === undefined || (args[name] === false && asking.includes(name));
  const isGiven = (args: Fields, name: string) => !Object.hasOwn(properties, name) || !isNone(args, name);
  return (args) => Object.fromEntries(Object.entries(args).filter(([name]) => isGiven(args, name)));
}

/** Replaces an argument that is an object of arguments by its properties. */
function flattened(args: Fields, within: string | undefined): Fields {
  const { [within ?? ""]: nested, ...others } = args;
  return isObject(nested) ? { ...nested, ...others } : args;
}

/** All arguments of a tool, for its list. A tool with several forms requires none of them in each call. */
function shownArguments(tool: Tool): TObject {
  const forms = otherForms(tool);
  if (forms.length === 0 && !tool.many) return tool.arguments;
  const ofForms = forms.map(({ by, within, arguments: { properties } }) =>
    within ? { [by]: within } : properties,
  );
  return Type.Partial(
    Type.Object(Object.assign({}, tool.arguments.properties, shownLists(tool), ...ofForms)),
  );
}

/** @throws Error at the start of the process, because a tool names it */
function commandNamed(name: string): CommandOfTool {
  const found = contracts.find((contract) => contract.name === name);
  if (found?.kind !== "command") throw new Error(`A tool names the command ${name}, which there is not.`);
  return found;
}

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
  required?: readonly string[];
  additionalProperties?: SchemaNode | boolean;
};

/** Explanations beyond an argument's name, by that name or by the title of its schema. A name means the same in every tool. */
const explanations: Readonly<Record<string, string>> = {
  ClockTime: "Local time HH:MM",
  ReminderTime: "Local time such as 2026-11-22T09:00, or an instant with offset",
  category: "Name of a category",
  context: "Place or tool, such as home",
  cursor: "next_cursor of the page before",
  due_time: "HH:MM, with a due_date",
  grace_days: "Missed days in a row that break no streak",
  query: "Words of title, context or description",
  recurrence: "RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO",
  schedule: '{"times_per_week":3}, {"every_days":2} or {"weekdays":[1]} (1 is Monday)',
};

/** A tool's arguments, as tools/list shows them. */
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
 * An argument schema for agents: only what a model can act on, because every client pays for the whole list. Kept's
 * own formats are left out, because strict clients refuse unknown ones.
 */
function argumentSchema({ type, enum: values, items, anyOf, ...rest }: SchemaNode): object {
  if (anyOf) return { type: "object" };
  if (values) return { type: "string", enum: values };
  if (type === "array" && items) return { type, items: argumentSchema(items) };
  const { format, minimum, maximum } = rest;
  if (type === "string") return format === "date" ? { type, format } : { type };
  const isBounded = type === "integer" && maximum !== undefined && maximum < farAway;
  return isBounded ? { type, minimum, maximum } : { type };
}

/** The facts of a preview, and of a change that waits for approval. */
const changeFields = {
  preview: Type.Optional(Type.Boolean()),
  changes: Type.Optional(Type.Array(PreviewedChange)),
  former: Type.Optional(Type.Object({}, { additionalProperties: Type.String() })),
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

/** A refused thing among several. */
const refusedFields = {
  code: Type.String(),
  message: Type.String(),
  errors: Type.Object({}, { additionalProperties: Type.Array(Type.String()) }),
};

/**
 * The facts of a tool's answers. Only the day and the zone are required, because sdk 1.x checks refusals against
 * the schema, too, and each form of a tool answers differently.
 */
function outputSchema(tool: Tool) {
  const forms = [tool, ...(tool.forms ?? [])];
  const ofWrite = "looksAt" in tool ? {} : changeFields;
  const properties = { ...answerFields, ...ofWrite, ...factsOf(forms), ...manyFacts(tool, forms) };
  return {
    type: "object" as const,
    properties: factSchemas(properties),
    required: Object.keys(TodayFields),
  };
}

const factsOf = (forms: readonly Form[]): TProperties =>
  Object.assign({}, ...forms.map(({ facts }) => facts.properties));

function manyFacts(tool: Tool, forms: readonly Form[]): TProperties {
  const several = forms.filter((form) => Object.keys(listsOf(tool, form.arguments)).length > 0);
  if (several.length === 0) return {};
  const named = Object.values(listsOf(tool, tool.arguments)).flatMap((name) => name ?? []);
  const properties = named.map((name) => [name, tool.arguments.properties[name] ?? Type.Unknown()] as const);
  const result = { ...factsOf(several), ...Object.fromEntries(properties), ...refusedFields };
  return { done: Type.Integer(), results: Type.Array(Type.Partial(Type.Object(result))) };
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

/** A tool as agents see it, and all its forms. */
type ToolEntry = Readonly<{ tool: Tool; shown: TObject; isRead: boolean; acts: readonly ToolAct[] }>;

const entries = contracts.flatMap((contract): ToolEntry[] => {
  if (contract.kind === "query") return contract.mcp ? [queryEntry(contract, contract.mcp)] : [];
  return contract.mcp ? [commandEntry(contract, contract.mcp)] : [];
});

function queryEntry(contract: QueryContract<QueryName>, tool: NonNullable<QueryContract["mcp"]>): ToolEntry {
  const { elsewhere, arguments: shown } = tool;
  const known = {
    what: "an argument of this tool",
    names: Object.keys(shown.properties),
    alwaysListed: true,
  };
  const read = createReader({ form: tool, input: shown, known, elsewhere, refine: contract.refine });
  const target: CallTarget = {
    ...{ contract, scopes: contract.scopes, read, dayOf: tool.day },
    answer: (success) => answered(tool.result(success.body, success.input), success),
  };
  return { tool, shown, isRead: true, acts: [{ isAskedBy: () => true, target }] };
}

function commandEntry(contract: CommandContract<CommandName>, tool: Tool): ToolEntry {
  const shown = withManner(shownArguments(tool));
  return { tool, shown, isRead: false, acts: actsOf(tool, contract) };
}

/** The scopes that tools need. A 401 names them, so that a client asks for no others (MCP authorization). */
export const toolScopes: readonly Scope[] = allScopes.filter((scope) =>
  contracts.some(
    ({ mcp, scopes, fieldScopes = {} }) =>
      mcp && [scopes, Object.values(fieldScopes)].flat(2).includes(scope),
  ),
);

const tools: ReadonlyMap<string, ToolEntry> = new Map(entries.map((entry) => [entry.tool.name, entry]));

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

/** @returns undefined when the parameters of a tools/call are malformed */
export function askedTool({ name, arguments: args = {} }: Fields): Asked | undefined {
  if (typeof name !== "string" || !isObject(args)) return undefined;
  const act = tools.get(name)?.acts.find(({ isAskedBy }) => isAskedBy(args));
  const target = act ? withFieldScopes(act.target, args) : unknownTool;
  return { name, args, target, refuse: refuseTool };
}

/** Adds the scopes that single arguments need, also within other arguments. */
function withFieldScopes(target: CallTarget, args: Fields): CallTarget {
  const { fieldScopes = target.contract.fieldScopes ?? {} } = target;
  const parts = [args, ...Object.values(args).flat().filter(isObject)];
  const more = Object.entries(fieldScopes).filter(([name]) => parts.some((part) => isAsked(part, name)));
  return { ...target, scopes: [...target.scopes, ...more.map(([, scope]) => scope)] };
}

function refuseTool(refusal: Refusal, at: RefusedAt) {
  if (refusal === unknownTool.refusal) throw new ProtocolError(INVALID_PARAMS, refusal.message);
  return refused(refusal, at);
}

/** The answer to tools/list: the same for every token, so that clients know what scopes they could ask for. */
export const toolList = entries.map(({ tool, shown, isRead }) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: objectSchema(shown),
  outputSchema: outputSchema(tool),
  annotations: {
    readOnlyHint: isRead,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: false,
  },
  ...(isRead && shownInApp),
}));
