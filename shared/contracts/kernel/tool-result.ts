import {
  type Static,
  type TBoolean,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from "typebox";

/** The answer of a tool: the same facts twice, as lines for reading and with REST's names. */
export type ToolResult = Readonly<{
  lines: readonly string[];
  facts: Readonly<Record<string, unknown>>;
  /** True if it names a reminder that would reach nobody. */
  reachesNobody?: boolean;
  /** True if it names a deleted thing, which the person can bring back. */
  canReturn?: boolean;
}>;

/**
 * Leaves out null and false, which agents assume for absent facts; this saves tokens. A plain loop, because
 * building it from lists of entries took nine times as long.
 */
export function lean(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stated: Record<string, unknown> = {};
  for (const name in facts) {
    const value = facts[name];
    if (value !== null && value !== false) stated[name] = value;
  }
  return stated;
}

/**
 * The facts that a schema names, in its order: of a thing, but for those that are given otherwise. What is null or false
 * is left out, as by `lean`.
 */
export function factsBy(
  { properties }: TObject,
  thing: object,
  otherwise: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = thing as Readonly<Record<string, unknown>>;
  const stated: Record<string, unknown> = {};
  for (const name in properties) {
    const value = name in otherwise ? otherwise[name] : known[name];
    if (value != null && value !== false) stated[name] = value;
  }
  return stated;
}

type Leaned<Schema extends TSchema> =
  Schema extends TUnion<[infer Value extends TSchema, TNull]>
    ? TOptional<Value>
    : Schema extends TBoolean
      ? TOptional<Schema>
      : Schema;

/** The schema of facts that `lean` leaves: what can be null or false is optional. */
export const LeanObject = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(leaned))) as unknown as TObject<{
    [Name in keyof Properties]: Leaned<Properties[Name]>;
  }>;

function leaned([name, schema]: readonly [string, TSchema]): [string, TSchema] {
  if (Type.IsUnion(schema) && schema.anyOf.some(Type.IsNull)) {
    const [value] = schema.anyOf;
    if (value) return [name, Type.Optional(value)];
  }
  return [name, Type.IsBoolean(schema) ? Type.Optional(schema) : schema];
}

/** The facts of a deletion; the door adds the page where the person brings the thing back. */
export const deletionFacts = { brought_back_at: Type.Optional(Type.String()) };

/** Facts before `lean`: the compiler finds one that is missing in their schema. */
export type Unleaned<Schema extends TObject> = {
  [Name in keyof Static<Schema>]?: Static<Schema>[Name] | null;
};

/** A stored text on one line and in quotation marks, so that it cannot pass for Kept's own words. */
export const quoteStored = (text: string): string => JSON.stringify(text.replace(/\s+/g, " ").trim());

type Words = Readonly<{ description: string | null; written_by: string | null }>;

/** Lines of their own: a description can be long, and words of another app are none of the person. */
export const wordsOfOthers = ({ description, written_by }: Words): string =>
  (description === null ? "" : `\n  description: ${quoteStored(description)}`) +
  (written_by == null ? "" : `\n  written_by: ${quoteStored(written_by)}`);

/** The parts that apply, separated by commas. */
export const joined = (parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter((part) => part !== false && part != null).join(", ");
