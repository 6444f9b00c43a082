import type { TObject, TSchema } from "typebox";

type SchemaNode = TSchema & {
  type?: string;
  enum?: readonly string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: SchemaNode;
  properties?: Record<string, SchemaNode>;
  required?: readonly string[] | undefined;
};

/** A tool's arguments, as tools/list shows them. */
export const objectSchema = (schema: TObject) => ({ ...wireSchema(schema), type: "object" as const });

/**
 * An argument schema as agents read it: only what a model can act on, because every client pays for the
 * whole list. Our own formats stay here: strict clients refuse names they do not know.
 */
function wireSchema({ type, enum: values, items, properties, required, ...rest }: SchemaNode): object {
  if (values) return { type: "string", enum: values };
  if (type === "array" && items) return { type, items: wireSchema(items) };
  if (type === "object" && properties) {
    const wired = Object.entries(properties).map(([name, schema]) => [name, wireSchema(schema)]);
    return {
      type,
      properties: Object.fromEntries(wired),
      ...(required && { required }),
      additionalProperties: false,
    };
  }
  const { format, minimum, maximum } = rest;
  if (type === "string") return format === "date" ? { type, format } : { type };
  const bounded = type === "integer" && maximum !== Number.MAX_SAFE_INTEGER;
  return bounded ? { type, minimum, maximum } : { type };
}
