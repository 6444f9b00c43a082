import type { TObject } from "typebox";
import type { Fields } from "../../shared/contracts/validate.ts";

/**
 * Query parameters as the types that the schema wants: plain decimal numbers, `true` and `false`. Whatever
 * does not fit stays text, so that validation names the parameter. Unknown parameters are ignored.
 */
export function queryFields(schema: TObject, query: URLSearchParams): Fields {
  const fields: Fields = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query.get(name);
    if (text !== null) fields[name] = typed(text, (property as { type?: string }).type);
  }
  return fields;
}

function typed(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^(0|[1-9]\d*)$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
