import { everyItem, type KeptClient } from "../index.ts";
import type { components } from "../schema.ts";

/** The category of a name, regardless of case and accents. */
export async function findCategory(
  client: KeptClient,
  name: string,
): Promise<components["schemas"]["Category"] | undefined> {
  const categories = everyItem((page) => client.GET("/categories", { params: { query: { page } } }));
  for await (const category of categories) if (bare(category.name) === bare(name)) return category;
  return undefined;
}

const bare = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
