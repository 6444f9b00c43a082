import { type Static, type TSchema, Type } from "typebox";
import { Clearable, Nullable, Timestamp } from "./fields.ts";

/**
 * A field of a habit, todo or category is declared once, in habit-fields.ts, todo-fields.ts or category-fields.ts. Its
 * column, contracts, answers, form input, place in files and words in the log are derived from the declaration.
 */
export type Field = Words &
  Readonly<{
    kind: FieldKind;
    column: ColumnType;
    value: ValueSchema;
    /** Schemas of answers, of the two kinds of requests, and of files; absent where these do not have the field. */
    shown: TSchema;
    create?: TSchema;
    update?: TSchema;
    file?: TSchema;
    /** The value of a new thing that is given none, or null. */
    usual?: unknown;
  }>;
export type DeclaredFields = Readonly<Record<string, Field>>;

type ValueSchema = TSchema & Readonly<{ enum?: readonly string[]; maxLength?: number; maximum?: number }>;

export type ColumnType =
  | "text"
  | "time_of_day"
  | "integer"
  | "bigint"
  | "boolean"
  | "date"
  | "timestamptz"
  | "jsonb";

/** Decides which input a form has for the field, and how the log says its value. */
export type FieldKind =
  | "line"
  | "paragraph"
  | "choice"
  | "number"
  | "date"
  | "color"
  | "flag"
  | "instant"
  | "link"
  | "json";

type Words = Readonly<{
  /** The label of its input. A form writes the input of a field without a label itself. */
  label?: string;
  hint?: string;
  suggestions?: readonly string[];
  /** Makes the input a box, with this value when it is ticked and the usual one otherwise. */
  ticked?: string;
  /** The log's name for the field, if that is not its label in lower case; and its name where no value follows. */
  told?: string;
  noun?: string;
  /** The unit behind a number in the log. */
  unit?: string;
  /** A value that the log leaves out when it describes a new thing. */
  untold?: unknown;
}>;

/** Values as requests and files have them, and as answers show them. */
type Values<Value extends TSchema, Shown extends TSchema> = Readonly<{
  kind: FieldKind;
  column: ColumnType;
  value: Value;
  shown: Shown;
}>;

const values =
  (kind: FieldKind, column: ColumnType) =>
  <Value extends TSchema>(value: Value): Values<Value, Value> => ({ kind, column, value, shown: value });

/** Answers promise the type alone, because the bounds of requests may change. */
const boundedValues =
  <Shown extends TSchema>(kind: FieldKind, column: ColumnType, shown: Shown) =>
  <Value extends TSchema>(value: Value): Values<Value, Shown> => ({ kind, column, value, shown });

export const line = boundedValues("line", "text", Type.String());
export const paragraph = boundedValues("paragraph", "text", Type.String());
export const color = boundedValues("color", "text", Type.String());
export const flag = boundedValues("flag", "boolean", Type.Boolean());
export const instant = boundedValues("instant", "timestamptz", Timestamp);
export const number = boundedValues("number", "integer", Type.Integer());
export const word = values("choice", "text");
export const timeOfDay = values("choice", "time_of_day");
export const day = values("date", "date");
export const json = values("json", "jsonb");

/** A field that a new thing must be given. */
export const required = <Value extends TSchema, Shown extends TSchema>(
  values: Values<Value, Shown>,
  words: Words & Readonly<{ usual?: Static<Value> }> = {},
) => ({
  ...values,
  ...words,
  create: values.value,
  update: Type.Optional(values.value),
  file: values.value,
});

/** A field that may be empty: null clears it. */
export const optional = <Value extends TSchema, Shown extends TSchema>(
  values: Values<Value, Shown>,
  words: Words = {},
) => ({
  ...values,
  ...words,
  ...clearable(values.value),
  shown: Nullable(values.shown),
  file: Nullable(values.value),
  usual: null,
});

/** A field that is never empty: null stands for its usual value. */
export const usually = <Value extends TSchema, Shown extends TSchema>(
  values: Values<Value, Shown>,
  usual: Static<Value>,
  words: Words = {},
) => ({ ...values, ...words, ...clearable(values.value), file: Nullable(values.value), usual });

/** The id of another thing. A file has the key of that thing instead, under a name of its own. */
export const link = <Value extends TSchema>(id: Value) => ({
  ...values("link", "bigint")(id),
  ...clearable(id),
  shown: Nullable(id),
  usual: null,
});

const clearable = <Value extends TSchema>(value: Value) => ({
  create: Clearable(value),
  update: Clearable(value),
});

/** A field that commands decide about: no request gives it. */
export function internal<Declared extends Readonly<{ create: TSchema; update: TSchema }>>(field: Declared) {
  const { create: _, update: __, ...others } = field;
  return others;
}

/** The fields as the columns of their table. */
export type ColumnsOf<Declared extends DeclaredFields> = {
  -readonly [Name in keyof Declared]: Static<Declared[Name]["shown"]>;
};

type Part = "create" | "update" | "shown" | "file";
type SchemasOf<Declared extends DeclaredFields, Of extends Part> = {
  [Name in keyof Declared as Declared[Name] extends Record<Of, TSchema>
    ? Name
    : never]: Declared[Name] extends Record<Of, infer Schema> ? Schema : never;
};

/** The fields' schemas of one part, in the order of the declaration. */
export function schemasOf<Declared extends DeclaredFields, Of extends Part>(
  fields: Declared,
  part: Of,
): SchemasOf<Declared, Of> {
  const schemas = Object.entries(fields).map(([name, { [part]: schema }]) => [name, schema] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined)) as SchemasOf<Declared, Of>;
}
