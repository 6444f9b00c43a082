import type { TObject } from "typebox";
import type { Fields } from "../../shared/contracts/validate.ts";

/**
 * Query parameters in the types that the schema states: plain decimal numbers, `true` and `false`. A value that
 * does not fit stays text, so that validation names the parameter. Unknown parameters are ignored.
 */
export function queryFields(schema: TObject, query: URLSearchParams): Fields {
  const fields: Fields = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query.get(name);
    if (text !== null) fields[name] = typed(text, "type" in property ? property.type : undefined);
  }
  return fields;
}

function typed(text: string, type: unknown): unknown {
  if (type === "integer" && /^(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
