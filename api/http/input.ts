import { distance } from "fastest-levenshtein";
import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Check } from "typebox/value";
import { normaliseText } from "../../shared/contracts/kernel/text.ts";
import {
  type FieldErrors,
  type FieldProblems,
  invalid,
  type Problem,
  type Refused,
  refuse,
} from "../../shared/errors.ts";

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
  const isWhole = isShort && required.every((name) => input[name] !== undefined);
  const isKnown = unknown === undefined || Object.keys(unknown).length === 0;
  const fits = (value: unknown): value is Static<Input> => validator.Check(value);
  if (isWhole && isKnown && fits(input)) {
    const refined = Object.keys(input).length > 0 ? contract.refine?.(input) : undefined;
    return refined ? invalid(refined) : { input };
  }
  const demanded = [...required, ...(contract.input.required ?? [])];
  const errors = { ...unknown, ...missing(input, demanded), ...mismatches(properties, input) };
  return invalid({ ...errors, ...alsoTold?.(without(input, errors)) });
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

/**
 * Query parameters in the types that the schema states: plain decimal numbers, `true` and `false`. A value that
 * does not fit stays text, so that validation names the parameter.
 */
export function queryFields(schema: TObject, query: URLSearchParams): Fields {
  const fields: Fields = {};
  if (query.size === 0) return fields;
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query.get(name);
    if (text !== null) fields[name] = typed(text, "type" in property ? property.type : undefined);
  }
  return fields;
}

/** @returns a refusal for each parameter that is given twice, because only one of the two could count */
export function repeatedParameters(schema: TObject, query: URLSearchParams): FieldErrors {
  if (query.size < 2) return {};
  const repeated = Object.keys(schema.properties).filter((name) => query.getAll(name).length > 1);
  return Object.fromEntries(repeated.map((name) => [name, [`The ${name} parameter must be given once.`]]));
}

function typed(text: string, type: unknown): unknown {
  if (type === "integer" && /^(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * The names that a part of a request may contain. `what` completes the sentence "… is not …", as in "a field of a
 * todo".
 */
export type KnownNames = Readonly<{
  what: string;
  names: readonly string[];
  /** Names that may be sent and have no effect. */
  ignored?: readonly string[];
  /** Lists the known names once, even if one of them is similar. */
  alwaysListed?: boolean;
}>;

const mostNamed = 10;
const maxShown = 64;
/** A longer list of known names would hide the reason. */
const maxListed = 16;

/** @returns a refusal for each name that is not known, naming the nearest known one or all that there are */
export function unknownNames(sent: readonly string[], known: KnownNames): FieldProblems {
  const unknown = sent.filter((name) => !known.names.includes(name) && !known.ignored?.includes(name));
  const problems = unknown.slice(0, mostNamed).map((name, index) => {
    const shown = printable(name.slice(0, maxShown));
    return [shown, [problemOf(shown, known, index === 0)]];
  });
  return Object.fromEntries(problems);
}

function problemOf(name: string, { what, names, alwaysListed }: KnownNames, isFirst: boolean): Problem {
  const nearest = nearestName(name, names);
  const isListed = alwaysListed ? isFirst : nearest === undefined && names.length <= maxListed;
  const list = isListed ? `, which takes ${names.join(", ") || "none"}` : "";
  const reason = `${name} is not ${what}${list}`;
  return nearest === undefined ? `${reason}.` : { reason, next: `did you mean ${nearest}?` };
}

/** @returns the known name that begins or ends like the given one, or that a few letters turn it into */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const near = known
    .map((one) => ({ one, letters: lettersBetween(plain, plainName(one)) }))
    .filter(({ letters }) => letters !== undefined)
    .toSorted((a, b) => (a.letters ?? 0) - (b.letters ?? 0));
  return near[0]?.one;
}

/** The plain form makes dueDate and due-date equal due_date. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const shortestPart = 2;
/** The part of a name's letters that may be wrong. */
const alikeShare = 0.4;

/** @returns undefined when the names are not alike */
function lettersBetween(sent: string, known: string): number | undefined {
  const [short, long] = sent.length < known.length ? [sent, known] : [known, sent];
  const isPart = short.length >= shortestPart && (long.startsWith(short) || long.endsWith(short));
  const letters = distance(sent, known);
  return isPart || letters <= Math.floor(short.length * alikeShare) ? letters : undefined;
}

const maxBodyBytes = 64 * 1024;

export const tooLarge = refuse("body_too_large", "The request body must not be larger than 64 KiB.");
const notJson = refuse("malformed_body", "The request body must be a JSON object.");
const notUtf8 = refuse("malformed_body", "The request body must be UTF-8.");
const compressed = refuse("unsupported_media_type", "The request body must be sent without compression.");
const notJsonType = refuse("unsupported_media_type", "The request body must be sent as application/json.");

/** The JSON object of a request body; an absent body is an empty object. */
export async function readBody(request: Request): Promise<Readonly<{ fields: Fields }> | Refused> {
  const text = await readText(request);
  if (typeof text !== "string") return text;
  if (text === "") return { fields: {} };
  if (!isAnyJson(request)) return notJsonType;
  const value = parseJson(text);
  return isObject(value) ? { fields: value } : notJson;
}

/** REST takes JSON under any of its names, such as application/merge-patch+json. */
function isAnyJson(request: Request): boolean {
  const type = mediaType(request);
  return type === "application/json" || type.endsWith("+json");
}

/** MCP takes JSON under its one name (Streamable HTTP). */
export const isPlainJson = (request: Request): boolean => mediaType(request) === "application/json";

const mediaType = ({ headers }: Request): string =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

/** The body as text, refused when it is too large or not UTF-8. It has arrived before its request is served. */
export async function readText(request: Request): Promise<string | Refused> {
  const { headers } = request;
  if (Number(headers.get("content-length")) > maxBodyBytes) return tooLarge;
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") return compressed;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await request.bytes());
  } catch {
    return notUtf8;
  }
}

/** The deepest nesting of brackets. No schema needs more, and deep nesting has crashed parsers. */
const maxDepth = 32;

/** @returns undefined when the text is not JSON, or nested too deep */
export function parseJson(text: string): unknown {
  try {
    return mayBeDeep(text) && isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Most bodies have too few brackets to be deep, and counting them costs a tenth of the loop. */
const mayBeDeep = (text: string): boolean => (text.match(/[[{]/g)?.length ?? 0) > maxDepth;

/** A plain loop, because a regular expression took a tenth of the time that a request takes before it is queued. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (inString && sign === "\\") at += 1;
    else if (sign === '"') inString = !inString;
    else if (inString) continue;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Body = AsyncIterable<Uint8Array> | null;

/**
 * Reads a body up to a limit, so that nobody can fill the memory.
 * @returns the problem if it is longer or breaks off
 */
export async function readBounded(
  body: Body,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | "too-long" | "broken-off"> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > mostBytes) return "too-long";
      chunks.push(chunk);
    }
  } catch {
    return "broken-off";
  }
  return Buffer.concat(chunks);
}

/** Removes from untrusted text what PostgreSQL cannot store and what could control a terminal or a log. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{FFFD}");
