import { type ClientAnswer, dataOf, type KeptClient } from "./calls.ts";
import type { components } from "./schema.ts";

type Page<Item> = Readonly<{
  data: readonly Item[];
  links: components["schemas"]["PageLinks"];
}>;

/**
 * All things of a list, page after page:
 * `for await (const todo of everyItem((page) => kept.GET("/todos", { params: { query: { due: "today", page } } })))`.
 * Things that are added or deleted meanwhile move the pages; `changesSince` misses nothing.
 */
export async function* everyItem<Item>(
  listPage: (page: number) => Promise<ClientAnswer<Page<Item>>>,
): AsyncGenerator<Item, void> {
  for (let page = 1; ; page++) {
    const { data, links } = await dataOf(listPage(page));
    yield* data;
    if (links.next === null) return;
  }
}

/** Pages of changes up to the present: since a cursor, or everything without one. */
export async function* changesSince(
  kept: KeptClient,
  cursor?: string,
): AsyncGenerator<components["schemas"]["Changes"], void> {
  for (let next = cursor; ; ) {
    const query = next === undefined ? {} : { cursor: next };
    const page = await dataOf(kept.GET("/changes", { params: { query } }));
    yield page;
    if (!page.has_more) return;
    next = page.next_cursor;
  }
}
