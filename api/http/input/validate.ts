import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Check } from "typebox/value";
import { normaliseText } from "../../../shared/contracts/kernel/text.ts";
import { type FieldErrors, type FieldProblems, invalid, type Refused } from "../../../shared/errors.ts";

export type Fields = Record<string, unknown>;
type Validated<Input extends TObject> = Readonly<{ input: Static<Input> }> | Refused;

type FieldSchema = TSchema & { format?: string; expects?: string; anyOf?: FieldSchema[]; minLength?: number };

type Property = Readonly<{
  name: string;
  schema: FieldSchema;
  /** Makes the stored form of a text that has one. */
  store: ((text: string) => string | null) | undefined;
  /** Bounds a list in the field whose items must differ; 0 without one. */
  mostDistinct: number;
}>;

/** Parts of a schema that are derived at its first use and kept. */
type Prepared = Readonly<{
  validator: ReturnType<typeof Compile<TObject>>;
  properties: readonly Property[];
}>;

const preparations = new WeakMap<TObject, Prepared>();

function prepare(schema: TObject): Prepared {
  const properties = Object.entries(schema.properties).map(([name, property]) => ({
    ...{ name, schema: property },
    ...{ store: storing(property), mostDistinct: mostDistinctIn(property) },
  }));
  const made = { validator: Compile(schema), properties };
  preparations.set(schema, made);
  return made;
}

/** A list without a bound of its own has words of a small vocabulary. */
const usualItems = 100;

function mostDistinctIn(schema: TSchema): number {
  let most = 0;
  JSON.stringify(schema, (_, part) => {
    if (part?.uniqueItems) most = Math.max(most, part.maxItems ?? usualItems);
    return part;
  });
  return most;
}

/** An optional text that is blank counts as cleared; a required one fails its minimum length. */
function storing(schema: FieldSchema): Property["store"] {
  const { format, minLength } = schema.anyOf?.[0] ?? schema;
  if (format !== "line" && format !== "paragraph") return undefined;
  if (schema.anyOf === undefined || minLength !== undefined) return (text) => normaliseText(text, format);
  return (text) => {
    const normal = normaliseText(text, format);
    return normal.trim() === "" ? null : normal;
  };
}

/** The checks of a request beside its contract. */
type Demands = Readonly<{
  /** Fields demanded beyond the schema's own, as PUT does. */
  required?: readonly string[] | undefined;
  /** Refusals of unknown names, which the answer shows together with those of fields. */
  unknown?: FieldProblems | undefined;
  /** Rules for fields that are valid by themselves; their refusals join the others. */
  alsoTold?: ((fields: Fields) => FieldProblems | undefined) | undefined;
}>;

/**
 * Checks `fields` against a contract and returns its input: known fields only, in the schema's order (so
 * that equal requests are equal bytes), text in its stored form.
 */
export function validate<Input extends TObject>(
  contract: Readonly<{ input: Input; refine?(input: Static<Input>): FieldProblems | undefined }>,
  fields: Fields,
  { required = [], unknown, alsoTold }: Demands = {},
): Validated<Input> {
  const { validator, properties } = preparations.get(contract.input) ?? prepare(contract.input);
  const input: Fields = {};
  for (const { name, store } of properties) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value !== undefined) input[name] = store && typeof value === "string" ? store(value) : value;
  }
  const isShort = properties.every((property) => !isTooLong(property, input[property.name]));
  const fits = isShort && required.every((name) => input[name] !== undefined) && validator.Check(input);
  if (!fits || (unknown && Object.keys(unknown).length > 0)) {
    const demanded = [...required, ...(contract.input.required ?? [])];
    const errors = { ...unknown, ...missing(input, demanded), ...mismatches(properties, input) };
    return invalid({ ...errors, ...alsoTold?.(without(input, errors)) });
  }
  const accepted = input as Static<Input>;
  const refined = Object.keys(input).length > 0 ? contract.refine?.(accepted) : undefined;
  return refined ? invalid(refined) : { input: accepted };
}

const without = (fields: Fields, errors: object): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(errors, name)));

function missing(input: Fields, required: readonly string[]): FieldErrors {
  const absent = required.filter((name) => input[name] === undefined);
  return Object.fromEntries(absent.map((name) => [name, [`The ${name} field is required.`]]));
}

/** The library takes microseconds to compare an item with the others, also in a list that is too long anyway. */
const isTooLong = ({ mostDistinct }: Property, value: unknown): boolean =>
  mostDistinct > 0 && hasListAbove(mostDistinct, value);

/** A list is looked for in the field itself and one level below. */
const hasListAbove = (most: number, value: unknown): boolean =>
  typeof value === "object" &&
  [value, ...Object.values(value ?? {})].some((part) => Array.isArray(part) && part.length > most);

/** The library's own list of errors takes a time that grows with the square of a list that repeats itself. */
function mismatches(properties: readonly Property[], input: Fields): FieldErrors {
  const wrong = properties.filter((property) => {
    const value = input[property.name];
    return value !== undefined && (isTooLong(property, value) || !Check(property.schema, value));
  });
  return Object.fromEntries(wrong.map(({ name, schema }) => [name, [expectation(name, schema)]]));
}

const expectation = (name: string, { expects = "valid" }: FieldSchema): string =>
  `The ${name} field must be ${expects}.`;

/** Hosts in strict mode send every argument, with one of these values for an absent one. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** @returns undefined for an absent argument, also if every object has a property of that name */
export const argument = (args: Readonly<Fields>, name: string): unknown =>
  Object.hasOwn(args, name) && !isEmpty(args[name]) ? args[name] : undefined;
