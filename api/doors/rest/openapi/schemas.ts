import type { TSchema } from "typebox";
import type { ComponentRef, JsonSchema } from "./shape.ts";

type SchemaNode = TSchema & {
  title?: string;
  description?: string;
  expects?: string;
  type?: string;
  format?: string;
  enum?: readonly string[];
  anyOf?: readonly SchemaNode[];
  items?: SchemaNode;
  properties?: Readonly<Record<string, SchemaNode>>;
  patternProperties?: Readonly<Record<string, SchemaNode>>;
};

/** Turns contracts' schemas into the document's, and collects those that have a name. */
export type Schemas = Readonly<{
  /** A schema by reference if it has a name, else as it is. */
  show(schema: TSchema): JsonSchema;
  /** Names a schema of the document's own. @returns a reference to it */
  name(title: string, schema: JsonSchema): ComponentRef;
  /** Every named schema so far, in alphabetical order. */
  named(): Readonly<Record<string, JsonSchema>>;
}>;

export function createSchemas(): Schemas {
  const all = new Map<string, JsonSchema>();

  function name(title: string, schema: JsonSchema): ComponentRef {
    const known = all.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two schemas are called ${title}.`);
    all.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  function show(schema: SchemaNode): JsonSchema {
    return schema.title === undefined ? plain(schema, show) : name(schema.title, plain(schema, show));
  }

  return {
    show,
    name,
    named: () =>
      Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))),
  };
}

/** Formats that every validator knows. Kept's own formats are rules for text, which `description` states. */
const commonFormats = ["date", "date-time", "email"];

/** A schema without keywords that only Kept's validation reads, such as `expects`. */
function plain(schema: SchemaNode, show: (part: SchemaNode) => JsonSchema): JsonSchema {
  const { title, expects, format, anyOf, items, properties, patternProperties, ...rest } = schema;
  const [anyValue] = Object.values(patternProperties ?? {});
  return {
    ...(rest.enum && { type: "string" }),
    ...describe(schema),
    ...rest,
    ...(format !== undefined && commonFormats.includes(format) && { format }),
    ...(anyOf && { anyOf: anyOf.map(show) }),
    ...(items && { items: show(items) }),
    ...(properties && { properties: mapValues(properties, show) }),
    ...(anyValue && { additionalProperties: show(anyValue) }),
  };
}

/** The demand on a field, in the words of the refusal. The values of an enum need no words. */
function describe({ title, expects, anyOf, ...schema }: SchemaNode): JsonSchema {
  if (expects === undefined || schema.enum || (anyOf && title === undefined)) return {};
  return { description: capitalised(expects) };
}

export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
