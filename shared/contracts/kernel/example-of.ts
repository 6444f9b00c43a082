import type { Static, TSchema } from "typebox";
import type { DeclaredFields } from "./declared-fields.ts";

/** An example of an answer, in the order of its schema. An absent field has its usual value, or null. */
export const exampleOf = <Schema extends TSchema & Readonly<{ properties: object }>>(
  { properties }: Schema,
  fields: DeclaredFields,
  given: Partial<Static<Schema>>,
) => {
  const values: Readonly<Record<string, unknown>> = given;
  return Object.fromEntries(
    Object.keys(properties).map((name) => [name, values[name] ?? fields[name]?.usual ?? null]),
  ) as Static<Schema>;
};
