import type { FilterChoice } from "./filter-fields.ts";

/** Categories as choices, sorted by name. */
export const categoryChoices = (
  categories: readonly Readonly<{ id: number; name: string }>[],
): readonly FilterChoice[] =>
  categories.toSorted((a, b) => a.name.localeCompare(b.name)).map(({ id, name }) => [String(id), name]);
