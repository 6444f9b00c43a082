import type { TSchema } from "typebox";
import { meaningOf } from "./meanings.ts";
import type { ComponentRef, JsonSchema, SchemaFields } from "./shape.ts";

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
  /** The properties of a schema of this name, each with its meaning. */
  properties(owner: string, properties: Readonly<Record<string, TSchema>>): SchemaFields;
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
    const shown = plain(schema, { show, properties });
    return schema.title === undefined ? shown : name(schema.title, shown);
  }

  const properties = (owner: string, parts: Readonly<Record<string, SchemaNode>>): SchemaFields =>
    mapEntries(parts, (part, name) => withMeaning(show(part), ownWords(part), meaningOf(owner, name)));

  return {
    show,
    name,
    properties,
    named: () =>
      Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))),
  };
}

/** Formats that every validator knows. Kept's own formats are rules for text, which `description` states. */
const commonFormats = ["date", "date-time", "email"];

/** A schema without keywords that only Kept's validation reads, such as `expects`. */
function plain(
  schema: SchemaNode,
  { show, properties: showAll }: Pick<Schemas, "show" | "properties">,
): JsonSchema {
  const { title, expects, format, anyOf, items, properties, patternProperties, ...rest } = schema;
  const [anyValue] = Object.values(patternProperties ?? {});
  return {
    ...(rest.enum && { type: "string" }),
    ...describe(schema),
    ...rest,
    ...(format !== undefined && commonFormats.includes(format) && { format }),
    ...(anyOf && { anyOf: anyOf.map(show) }),
    ...(items && { items: show(items) }),
    ...(properties && { properties: showAll(title ?? "", properties) }),
    ...(anyValue && { additionalProperties: show(anyValue) }),
  };
}

/** The demand on a field, in the words of the refusal. The values of an enum need no words. */
function describe({ title, expects, anyOf, ...schema }: SchemaNode): JsonSchema {
  if (expects === undefined || schema.enum || (anyOf && title === undefined)) return {};
  return { description: capitalised(expects) };
}

export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The description of a schema without a name, or of its values beside null. */
const ownWords = ({ title, description, anyOf: [first] = [] }: SchemaNode): string | undefined =>
  title === undefined ? (description ?? (first && ownWords(first))) : undefined;

/** A property's own description says its meaning. The demand on its value comes after that of its name. */
function withMeaning(shown: JsonSchema, own: string | undefined, meaning: string | undefined): JsonSchema {
  const words = own ? [own] : [meaning, shown.description].filter((text) => text !== undefined);
  return words.length > 0 ? { ...shown, description: words.join(". ") } : shown;
}

const mapEntries = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
