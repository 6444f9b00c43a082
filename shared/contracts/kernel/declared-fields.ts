import { type Static, type TOptional, type TSchema, Type } from "typebox";
import { Clearable, Description, Nullable, TimeOfDayField, Timestamp } from "./fields.ts";

/**
 * A field of a habit, todo or category is declared once: in `fields.ts` of the noun's folder. Its column,
 * contracts, answers, form input, part in files and words in the log follow from the declaration.
 */
export type Field = Words &
  Readonly<{
    kind: FieldKind;
    column: ColumnType;
    value: ValueSchema;
    /** Schemas of answers, both kinds of requests, and files; absent if these do not have the field. */
    shown: TSchema;
    create?: TSchema;
    update?: TSchema;
    file?: TSchema;
    /** The value of a new thing without this field, or null. */
    usual?: unknown;
    /** The sign of a tag. */
    mark?: string;
  }>;
export type DeclaredFields = Readonly<Record<string, Field>>;

type ValueSchema = TSchema & Readonly<{ enum?: readonly string[]; maxLength?: number; maximum?: number }>;

export type ColumnType =
  | "text"
  | "time_of_day"
  | "integer"
  | "decimal"
  | "bigint"
  | "boolean"
  | "date"
  | "timestamptz"
  | "jsonb";

/** Decides the field's input in forms and its words in the log. */
export type FieldKind =
  | "line"
  | "paragraph"
  | "choice"
  | "number"
  | "date"
  | "time"
  | "color"
  | "flag"
  | "instant"
  | "link"
  | "json";

type Words = Readonly<{
  /** The label of its input. A field without a label has an input that its form writes. */
  label?: string;
  hint?: string;
  /** The meaning for programs, where the hint does not say it. */
  meaning?: string;
  suggestions?: readonly string[];
  /** Makes the input a checkbox: ticked means this value, unticked the usual one. */
  ticked?: string;
  /** The log's name for the field, if it is not the label in lower case; and its name without a value. */
  inLog?: string;
  noun?: string;
  /** The unit after a number in the log. */
  unit?: string;
  /** A value that the log omits when it describes a new thing. */
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

/** Answers promise only the type, because the bounds of requests may change. */
const boundedValues =
  <Shown extends TSchema>(kind: FieldKind, column: ColumnType, shown: Shown) =>
  <Value extends TSchema>(value: Value): Values<Value, Shown> => ({ kind, column, value, shown });

export const line = boundedValues("line", "text", Type.String());
const paragraph = boundedValues("paragraph", "text", Type.String());
export const color = boundedValues("color", "text", Type.String());
export const flag = boundedValues("flag", "boolean", Type.Boolean());
export const instant = boundedValues("instant", "timestamptz", Timestamp);
export const number = boundedValues("number", "integer", Type.Integer());
export const decimal = boundedValues("number", "decimal", Type.Number());
export const word = values("choice", "text");
const timeOfDay = values("choice", "time_of_day");
export const day = values("date", "date");
export const clockTime = values("time", "text");
export const json = values("json", "jsonb");

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

/** A field that is never empty: null means its usual value. */
export const usually = <Value extends TSchema, Shown extends TSchema>(
  values: Values<Value, Shown>,
  usual: Static<Value>,
  words: Words = {},
) => ({ ...values, ...words, ...clearable(values.value), file: Nullable(values.value), usual });

/** The id of another thing. A file has the key of that thing, in a field of another name. */
export const link = <Value extends TSchema>(id: Value, words: Words = {}) => ({
  ...values("link", "bigint")(id),
  ...words,
  ...clearable(id),
  shown: Nullable(id),
  usual: null,
});

const clearable = <Value extends TSchema>(value: Value) => ({
  create: Clearable(value),
  update: Clearable(value),
});

export const notes = optional(paragraph(Description), {
  label: "Notes",
  meaning: "Notes, also in several lines",
  inLog: "description",
});
export const partOfDay = optional(timeOfDay(TimeOfDayField), {
  label: "Part of the day",
  meaning: "The part of the day for which it is meant; null for any",
  inLog: "time of day",
});

/** A field that works as a tag: a line of words sets it behind its sign, and lists filter by it. */
export const tag = <Declared extends object>(mark: string, field: Declared) => ({ ...field, mark });

/** A field that only commands set; no request gives it. */
export function internal<Declared extends Readonly<{ create: TSchema; update: TSchema }>>(field: Declared) {
  const { create: _, update: __, ...others } = field;
  return others;
}

export type ColumnsOf<Declared extends DeclaredFields> = {
  -readonly [Name in keyof Declared]: Static<Declared[Name]["shown"]>;
};

/** The fields that have a property. */
export const fieldsWith = <Declared extends DeclaredFields, Property extends keyof Field>(
  fields: Declared,
  property: Property,
) =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field[property] !== undefined)) as {
    [Name in keyof Declared as Declared[Name] extends Readonly<Record<Property, unknown>>
      ? Name
      : never]: Declared[Name];
  };

/** The fields as arguments of tools and as filters: none is required, and null clears nothing. */
export const optionalValues = <Declared extends DeclaredFields>(fields: Declared) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, Type.Optional(value)])) as {
    [Name in keyof Declared]: TOptional<Declared[Name]["value"]>;
  };

/** Gives the fields of a thing that a text has no own words for; null and the usual value are left out. */
export function otherFields(fields: DeclaredFields, own: readonly string[]) {
  const others = Object.entries(fields).filter(([name, { create }]) => create && !own.includes(name));
  return (thing: Readonly<Record<string, unknown>>) =>
    others.flatMap(([name, { label = name, usual, kind }]) => {
      const value = thing[name];
      return value == null || value === usual ? [] : [{ label, kind, value }];
    });
}

type Part = "create" | "update" | "shown" | "file";
type SchemasOf<Declared extends DeclaredFields, Of extends Part> = {
  [Name in keyof Declared as Declared[Name] extends Record<Of, TSchema>
    ? Name
    : never]: Declared[Name] extends Record<Of, infer Schema> ? Schema : never;
};

/** The schemas of one part, in the order of the declaration. */
export function schemasOf<Declared extends DeclaredFields, Of extends Part>(
  fields: Declared,
  part: Of,
): SchemasOf<Declared, Of> {
  const schemas = Object.entries(fields).map(([name, { [part]: schema }]) => [name, schema] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined)) as SchemasOf<Declared, Of>;
}

/** A thing in the order of its schema. An absent field has its usual value, or null. */
export const withUsual = <Schema extends TSchema & Readonly<{ properties: object }>>(
  { properties }: Schema,
  fields: DeclaredFields,
  given: Partial<Static<Schema>>,
) => {
  const values: Readonly<Record<string, unknown>> = given;
  return Object.fromEntries(
    Object.keys(properties).map((name) => {
      const { [name]: value = fields[name]?.usual ?? null } = values;
      return [name, value];
    }),
  ) as Static<Schema>;
};

/** The first and only page of a list at `address`. */
export const onlyPage = <Item>(address: string, data: Item[]) => {
  const url = `http://localhost:3000/api/v1${address}page=1`;
  return {
    data,
    links: { first: url, last: url, prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: 15, total: data.length },
  };
};
