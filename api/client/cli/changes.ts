import type { KeptClient } from "../index.ts";
import type { components } from "../schema.ts";
import { dataOf } from "./command-line.ts";

type Schemas = components["schemas"];

/** Pages of changes up to the present: since a cursor, or all without one. */
export async function* changesSince(
  client: KeptClient,
  cursor: string | undefined,
): AsyncGenerator<Schemas["Changes"]> {
  let next = cursor;
  do {
    const query = next === undefined ? {} : { cursor: next };
    const page = await dataOf(client.GET("/changes", { params: { query } }));
    yield page;
    next = page.has_more ? page.next_cursor : undefined;
  } while (next !== undefined);
}
