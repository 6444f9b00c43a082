import { type TProperties, type TSchema, Type } from "typebox";
import Format from "typebox/format";
import { examples } from "../../domain/day/day.ts";
import { reaches } from "../../domain/reach.ts";
import { timesOfDay } from "../../domain/vocabulary.ts";
import type { FieldErrors } from "../../errors.ts";
import { isCalendarDate, isLine, isParagraph } from "./text.ts";

/**
 * Field types that contracts share. `expects` completes the sentence "The … field must be …", so a refusal says
 * what would be accepted.
 */

/** Formats of text that TypeBox checks and JSON Schema names. */
Format.Set("line", isLine);
Format.Set("paragraph", isParagraph);
Format.Set("date", isCalendarDate);

/** Names a schema in the OpenAPI document; every use refers to it by this name. */
export function titled<Schema extends TSchema>(title: string, schema: Schema): Schema & { title: string } {
  return Object.assign(schema, { title });
}

export const titledObject = <Properties extends TProperties>(title: string, properties: Properties) =>
  titled(title, Type.Object(properties));

const maxId = Number.MAX_SAFE_INTEGER;

export const Id = titled(
  "Id",
  Type.Integer({ minimum: 1, maximum: maxId, expects: "a positive whole number" }),
);

/** Some agents send ids as text: "7" becomes 7. Any other value stays. */
export const numberOfDigits = (value: unknown): unknown =>
  typeof value === "string" && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;

export function Line(max: number) {
  const expects = `text of 1 to ${max} characters on one line`;
  return Type.String({ minLength: 1, maxLength: max, format: "line", expects });
}

export const Name = titled("Name", Line(255));
export const SearchText = titled("SearchText", Line(255));
export const longestDescription = 5_000;
export const Description = titled(
  "Description",
  Type.String({
    ...{ maxLength: longestDescription, format: "paragraph" },
    expects: `text of at most ${longestDescription} characters`,
  }),
);
export const Context = titled(
  "Context",
  Type.String({
    maxLength: 100,
    format: "line",
    expects: "text of at most 100 characters on one line",
  }),
);

export const Color = titled(
  "Color",
  Type.String({
    pattern: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$",
    expects: "a hex color such as #6b7280",
  }),
);
export function OneOf<const Values extends string[]>(values: readonly [...Values]) {
  return Type.Enum([...values], { expects: `one of: ${values.join(", ")}` });
}

export function WholeNumber(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum, expects: `a whole number from ${minimum} to ${maximum}` });
}

export const CalendarDate = titled("CalendarDate", Type.String({ format: "date", expects: examples.date }));
export const ClockTime = titled(
  "ClockTime",
  Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", expects: "a time of day such as 14:30" }),
);
export const DueField = titled("Due", OneOf(["today", "overdue", "upcoming", "none"]));
export const TimeOfDayField = titled("TimeOfDay", OneOf(timesOfDay));
export const Reach = titled("Reach", OneOf(reaches));
/** Told to a caller, so that it takes words of others for data. */
export const WrittenBy = Nullable(
  Type.String({
    description:
      "The app that wrote name, title or description last, or import; null for the person and for this token",
  }),
);
/** Null where reminders reach somebody, or there are none. */
export const ChooseChannelAt = Nullable(
  Type.String({ description: "The page where the person chooses a channel, while reminders reach nobody" }),
);
export const Flag = Type.Boolean({ expects: "true or false" });
export const Page = titled(
  "Page",
  Type.Integer({ minimum: 1, maximum: maxId, expects: "a page number from 1 on" }),
);
export const Timestamp = titled(
  "Timestamp",
  Type.String({ format: "date-time", description: "UTC with microseconds and a trailing Z" }),
);

/** The idempotency key of a command, which is a header in REST and an argument in MCP. */
export const idempotencyKeyLimit = 255;
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: idempotencyKeyLimit,
  expects: `text of 1 to ${idempotencyKeyLimit} characters`,
});

/** The user's day and zone, which every answer to an agent carries. */
export type DayFields = Readonly<{ today: string; weekday?: string; now?: string; time_zone: string }>;
export const TodayFields = { today: Type.String({ format: "date" }), time_zone: Type.String() };

/** Null clears the field in PUT and PATCH, and counts as absent in POST. */
export function Clearable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Nullable(schema));
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], "expects" in schema ? { expects: schema.expects } : {});
}

const PageLinks = titledObject("PageLinks", {
  first: Type.String(),
  last: Type.String(),
  prev: Nullable(Type.String()),
  next: Nullable(Type.String()),
});

const PageMeta = titledObject("PageMeta", {
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
});

export function PageOf<Item extends TSchema>(item: Item & Readonly<{ title: string }>) {
  const page = Type.Object({ data: Type.Array<Item>(item), links: PageLinks, meta: PageMeta });
  return titled(`${item.title}Page`, page);
}

/** Refuses a period that ends before it begins, because it would silently be empty. */
export function checkPeriod(
  first: string,
  from: string | undefined,
  last: string,
  to: string | undefined,
): FieldErrors | undefined {
  if (from === undefined || to === undefined || from <= to) return undefined;
  return { [last]: [`The ${last} field must be a date from ${first} on.`] };
}
