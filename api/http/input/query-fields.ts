import type { TObject } from "typebox";
import type { FieldErrors } from "../../../shared/errors.ts";
import type { Fields } from "./validate.ts";

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
