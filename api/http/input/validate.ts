import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { normaliseText } from "../../../shared/contracts/kernel/text.ts";
import { type FieldErrors, type FieldProblems, invalid, type Refused } from "../../../shared/errors.ts";

export type Fields = Record<string, unknown>;
type Validated<Input extends TObject> = Readonly<{ input: Static<Input> }> | Refused;

type FieldSchema = TSchema & { format?: string; expects?: string; anyOf?: FieldSchema[]; minLength?: number };

/** Parts of a schema that are derived at its first use and kept. */
type Prepared = Readonly<{
  validator: ReturnType<typeof Compile<TObject>>;
  properties: readonly (readonly [name: string, schema: FieldSchema])[];
}>;

const preparations = new WeakMap<TObject, Prepared>();

function prepared(schema: TObject): Prepared {
  const known = preparations.get(schema);
  if (known) return known;
  const made = { validator: Compile(schema), properties: Object.entries(schema.properties) };
  preparations.set(schema, made);
  return made;
}

/** What a request is checked for beside its contract. */
type Demands = Readonly<{
  /** Fields demanded beyond the schema's own, as PUT does. */
  required?: readonly string[] | undefined;
  /** Refusals of names that the request may not have, which are told together with those of its fields. */
  unknown?: FieldProblems | undefined;
}>;

/**
 * Checks `fields` against a contract and returns its input: known fields only, in the schema's order (so
 * that equal requests are equal bytes), text in its stored form.
 */
export function validate<Input extends TObject>(
  contract: Readonly<{ input: Input; refine?(input: Static<Input>): FieldProblems | undefined }>,
  fields: Fields,
  { required = [], unknown }: Demands = {},
): Validated<Input> {
  const input = stored(contract.input, fields);
  const errors = { ...unknown, ...missing(input, required), ...mismatches(contract.input, input) };
  if (Object.keys(errors).length > 0) return invalid(errors);
  const accepted = input as Static<Input>;
  const refined = contract.refine?.(accepted);
  return refined ? invalid(refined) : { input: accepted };
}

function stored(schema: TObject, fields: Fields): Fields {
  const input: Fields = {};
  for (const [name, property] of prepared(schema).properties) {
    if (!Object.hasOwn(fields, name)) continue;
    const value = fields[name];
    if (value !== undefined) input[name] = typeof value === "string" ? storedText(property, value) : value;
  }
  return input;
}

/** An optional text that is blank counts as cleared; a required one fails its minimum length. */
function storedText(schema: FieldSchema, text: string): string | null {
  const clearable = schema.anyOf !== undefined;
  const { format, minLength } = schema.anyOf?.[0] ?? schema;
  if (format !== "line" && format !== "paragraph") return text;
  const normal = normaliseText(text, format);
  return clearable && minLength === undefined && normal.trim() === "" ? null : normal;
}

function missing(input: Fields, required: readonly string[]): FieldErrors {
  const absent = required.filter((name) => input[name] === undefined);
  return Object.fromEntries(absent.map((name) => [name, [`The ${name} field is required.`]]));
}

function mismatches(schema: TObject, input: Fields): FieldErrors {
  const { validator } = prepared(schema);
  if (validator.Check(input)) return {};
  const errors: FieldErrors = {};
  for (const error of validator.Errors(input)) {
    if (error.keyword === "required" && error.instancePath === "") {
      Object.assign(errors, missing(input, error.params.requiredProperties));
      continue;
    }
    const name = error.instancePath.split("/")[1];
    if (name !== undefined) errors[name] ??= [expectation(name, schema.properties[name])];
  }
  return errors;
}

function expectation(name: string, schema: FieldSchema | undefined): string {
  return `The ${name} field must be ${schema?.expects ?? "valid"}.`;
}
