import { idIn } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { ThingIds } from "../../../../queries/action/names.ts";
import { changedThings } from "./changed-things.ts";
import { argumentsOfRow, type LoggedRow } from "./logged-row.ts";

/** The ids of all things whose names sentences about these rows may need. */
export function idsNamedIn(rows: readonly LoggedRow[]): ThingIds {
  const found = { habits: new Set<number>(), todos: new Set<number>(), categories: new Set<number>() };
  const places = { habit: found.habits, todo: found.todos, category: found.categories };
  for (const row of rows) {
    const args = argumentsOfRow(row);
    for (const kind of ["habit", "todo"] as const) addId(places[kind], idIn(args, `${kind}_id`));
    for (const { thing, before, after } of thingsIn(row)) {
      addId(places[thing.kind], thing.id);
      for (const image of [before, after]) addId(found.categories, image?.category_id);
    }
  }
  return { habits: [...found.habits], todos: [...found.todos], categories: [...found.categories] };
}

function addId(ids: Set<number>, id: unknown): void {
  if (typeof id === "number" && Number.isSafeInteger(id)) ids.add(id);
}

/** What a row of the log changed, thing by thing; nothing where that cannot be read. */
export function thingsIn({ before, after }: LoggedRow) {
  try {
    return changedThings({ before: readImages(before).images, after: readImages(after).images });
  } catch {
    return [];
  }
}
