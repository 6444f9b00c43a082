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

/** The first and only page of a list at `address`. */
export const onlyPage = <Item>(address: string, data: Item[]) => {
  const url = `http://localhost:3000/api/v1${address}page=1`;
  return {
    data,
    links: { first: url, last: url, prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: 15, total: data.length },
  };
};
