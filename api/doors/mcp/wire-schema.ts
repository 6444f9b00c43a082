import type { TObject, TSchema } from "typebox";

type SchemaNode = TSchema & {
  type?: string;
  enum?: readonly string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: SchemaNode;
};

/** Explanations beyond an argument's name. A name means the same in every tool. */
const explanations: Readonly<Record<string, string>> = {
  category: "Name of a category",
  context: "Place or tool, such as home",
  cursor: "next_cursor of the page before",
  grace_days: "Missed days in a row that break no streak",
  query: "Text in title, context or description",
  recurrence: "RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO",
  remind_at: "Local time such as 2026-11-22T09:00, or an instant with offset",
};

/** A tool's arguments, as tools/list shows them. */
export function objectSchema({ properties, required }: Pick<TObject, "properties" | "required">) {
  const wired = Object.entries<SchemaNode>(properties).map(([name, schema]) => {
    const description = explanations[name];
    return [name, { ...wireSchema(schema), ...(description !== undefined && { description }) }] as const;
  });
  return {
    type: "object" as const,
    properties: Object.fromEntries(wired),
    ...(required && { required }),
    additionalProperties: false,
  };
}

/**
 * An argument schema as agents read it: only what a model can act on, because every client pays for the
 * whole list. Our own formats stay here: strict clients refuse names they do not know.
 */
function wireSchema({ type, enum: values, items, ...rest }: SchemaNode): object {
  if (values) return { type: "string", enum: values };
  if (type === "array" && items) return { type, items: wireSchema(items) };
  const { format, minimum, maximum } = rest;
  if (type === "string") return format === "date" ? { type, format } : { type };
  const bounded = type === "integer" && maximum !== Number.MAX_SAFE_INTEGER;
  return bounded ? { type, minimum, maximum } : { type };
}
