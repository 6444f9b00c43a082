import type { TObject, TSchema } from "typebox";

type SchemaNode = TSchema & {
  type?: string;
  enum?: readonly string[];
  format?: string;
  title?: string;
  minimum?: number;
  maximum?: number;
  items?: SchemaNode;
  anyOf?: readonly SchemaNode[];
};

/** Explanations beyond an argument's name, by that name or by the title of its schema. A name means the same in every tool. */
const explanations: Readonly<Record<string, string>> = {
  ClockTime: "Local time HH:MM",
  ReminderTime: "Local time such as 2026-11-22T09:00, or an instant with offset",
  category: "Name of a category",
  context: "Place or tool, such as home",
  cursor: "next_cursor of the page before",
  due_time: "HH:MM, with a due_date",
  grace_days: "Missed days in a row that break no streak",
  query: "Words of title, context or description",
  recurrence: "RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO",
  schedule: '{"times_per_week":3}, {"every_days":2} or {"weekdays":[1]} (1 is Monday)',
};

/** A tool's arguments, as tools/list shows them. */
export function objectSchema({ properties, required }: Pick<TObject, "properties" | "required">) {
  const wired = Object.entries<SchemaNode>(properties).map(([name, schema]) => {
    const description = explanations[name] ?? explanations[schema.title ?? ""];
    return [name, { ...wireSchema(schema), ...(description !== undefined && { description }) }] as const;
  });
  return {
    type: "object" as const,
    properties: Object.fromEntries(wired),
    ...(required && { required }),
    additionalProperties: false,
  };
}

/** A bound that nobody meets by accident is left to the refusal. */
const farAway = 10_000;

/**
 * An argument schema for agents: only what a model can act on, because every client pays for the whole list. Kept's
 * own formats are left out, because strict clients refuse unknown ones.
 */
function wireSchema({ type, enum: values, items, anyOf, ...rest }: SchemaNode): object {
  if (anyOf) return { type: "object" };
  if (values) return { type: "string", enum: values };
  if (type === "array" && items) return { type, items: wireSchema(items) };
  const { format, minimum, maximum } = rest;
  if (type === "string") return format === "date" ? { type, format } : { type };
  const isBounded = type === "integer" && maximum !== undefined && maximum < farAway;
  return isBounded ? { type, minimum, maximum } : { type };
}
