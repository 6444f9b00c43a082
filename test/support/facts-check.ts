import Schema from "typebox/schema";
import { toolList } from "../../api/doors/mcp/tools.ts";
import type { JsonBody } from "../harness.ts";

const compiled = (schema: JsonBody) => Schema.Compile(schema);
type Validator = ReturnType<typeof compiled>;

/** The schema, closed against facts that it does not name. */
function closed(schema: JsonBody): JsonBody {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, closed), additionalProperties: false }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
  };
}

const mapValues = (object: object, map: (value: JsonBody) => JsonBody) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

const validators = new Map<string, Readonly<{ open: Validator; closed: Validator }>>(
  toolList.map(({ name, outputSchema }) => [
    name,
    { open: compiled(outputSchema), closed: compiled(closed(outputSchema)) },
  ]),
);

/**
 * Checks an answer by the output schema of its tool, which names every fact. A refusal has other facts, but sdk 1.x
 * checks it, too.
 * @throws Error with the difference
 */
export function checkFacts(tool: string, facts: JsonBody, isError: boolean): void {
  const known = validators.get(tool);
  if (!known || (facts === undefined && isError)) return;
  const validator = isError ? known.open : known.closed;
  if (validator.Check(facts)) return;
  const [, problems] = validator.Errors(facts);
  const told = problems.map(({ instancePath, message, params }) => [instancePath, message, params]);
  throw new Error(`${tool} answers against its output schema: ${JSON.stringify([told, facts])}`);
}
