import { type TProperties, type TSchema, Type } from "typebox";
import { TodayFields } from "../../../../shared/contracts/kernel/fields.ts";
import { PreviewedChange } from "../../../../shared/contracts/kernel/preview.ts";
import type { Form, Tool } from "../../../../shared/contracts/kernel/tool.ts";
import { listsOf } from "../several.ts";

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
export function outputSchema(tool: Tool) {
  const forms = [tool, ...(tool.forms ?? [])];
  const ofWrite = "looksAt" in tool ? {} : changeFields;
  const properties = { ...answerFields, ...ofWrite, ...factsOf(forms), ...manyFacts(tool, forms) };
  return {
    type: "object" as const,
    properties: wireProperties(properties),
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

type SchemaNode = TSchema & {
  type?: string;
  enum?: readonly string[];
  format?: string;
  pattern?: string;
  description?: string;
  items?: SchemaNode;
  anyOf?: readonly SchemaNode[];
  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  additionalProperties?: SchemaNode | boolean;
};

const wireProperties = (properties: Readonly<Record<string, SchemaNode>>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wireSchema(schema)]));

/**
 * A fact's schema without bounds and closed objects, which later releases may widen, and without Kept's own
 * keywords.
 */
function wireSchema(schema: SchemaNode): object {
  const { type, enum: values, format, pattern, description, items, anyOf } = schema;
  if (anyOf) return { anyOf: anyOf.map(wireSchema) };
  const described = {
    ...(format && { format }),
    ...(pattern && { pattern }),
    ...(description && { description }),
  };
  if (values) return { type: "string", enum: values, ...described };
  if (type === "array" && items) return { type, items: wireSchema(items), ...described };
  return type === "object" ? { ...wireObject(schema), ...described } : { type, ...described };
}

function wireObject({ type, properties = {}, required = [], additionalProperties }: SchemaNode): object {
  const others = typeof additionalProperties === "object" && wireSchema(additionalProperties);
  if (others) return { type, additionalProperties: others };
  return { type, properties: wireProperties(properties), ...(required.length > 0 && { required }) };
}
