import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import type { ImportPartRow } from "../../../shared/db/entities.ts";
import { conflict, type Refused } from "../../../shared/errors.ts";
import type { NumberedTable } from "../../unit-of-work/new-rows.ts";
import {
  allForUpdate,
  allWithoutLock,
  settingsForUpdate,
  withoutLock,
} from "../../unit-of-work/row-request.ts";
import { beginWork } from "../begin-work.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { insertCategories, missingCategories } from "./categories.ts";
import { idOfThing, type KnownThings, knownHere } from "./known.ts";
import { logImport, timeOfImport } from "./log.ts";
import { makeThings } from "./make.ts";
import { inSteps, keysOf, stagedParts, stagedThings } from "./parts.ts";
import { type ImportWork, importSteps } from "./steps.ts";

const tables = ["categories", "habits", "todos"] as const satisfies readonly NumberedTable[];
/** The keys of new things by table. */
type NewKeys = Readonly<Record<(typeof tables)[number], readonly string[]>>;

/**
 * Makes all things of a file. The first transaction makes the categories, and gives all other things their ids,
 * because a todo names its successor. Things from an earlier import of the file, and not deleted
 * since, stay as they are.
 */
export const importApply: Handler<"import.apply"> = {
  stores: "more",
  steps: importSteps,
  rows: () => [allForUpdate("import_parts"), settingsForUpdate, allWithoutLock("categories")],
  related(loaded, input) {
    const parts = stagedParts(loaded, input);
    const followers = stagedThings(splitWork(parts).atOnce, "todos").flatMap(({ next }) => next ?? []);
    const keys = [...tables.flatMap((table) => keysOf(parts, table)), ...followers];
    const makes = tables.flatMap((table) => keysOf(parts, table).map(() => table));
    return { rows: keys.flatMap((key) => withoutLock("import_keys", key)), makes };
  },
  run(context, input) {
    const parts = stagedParts(context, input);
    // Parts that an earlier release staged do not name the habits of their histories.
    if (parts.length !== input.parts || parts.some(({ keys }) => keys.length === 0))
      return conflict("This file does not wait any more.", "Choose it again.");
    const known = knownHere(context.importKeys.all());
    const made = reserve(context, parts, known);
    if ("refusal" in made) return made;
    const { atOnce, steps } = splitWork(parts);
    const counts = { ...makeThings(context, atOnce, known), categories: made.categories.length };
    const { import_id } = input;
    const later = (["habits", "todos"] as const).flatMap((table) =>
      made[table].map((key) => `${table}/${idOfThing(known, { key })}`),
    );
    logImport(context, import_id, later);
    if (steps.length === 0) return { ...counts, work_id: null };
    const work: ImportWork = {
      import_id,
      action: { called_at: timeOfImport(context), request_id: import_id },
      steps: steps.map((step) => step.map(({ part }) => part)),
      made: counts,
    };
    return { ...counts, work_id: beginWork(context, "import.apply", work) };
  },
};

/** A file that fits into one step needs no long work. */
function splitWork(parts: readonly ImportPartRow[]) {
  const steps = inSteps(parts);
  const [only = []] = steps;
  return steps.length > 1 ? { atOnce: [], steps } : { atOnce: only, steps: [] };
}

/** Makes the new categories, and gives all other new things their ids. */
function reserve(
  context: HandlerContext,
  parts: readonly ImportPartRow[],
  known: KnownThings,
): NewKeys | Refused {
  const newKeys = (table: NumberedTable) => keysOf(parts, table).filter((key) => known.isNew({ key }));
  const categories = stagedThings(parts, "categories").filter(known.isNew);
  const missing = missingCategories(context, categories);
  const made: NewKeys = {
    categories: missing.map(({ key }) => key),
    habits: newKeys("habits"),
    todos: newKeys("todos"),
  };
  const refused = withinQuotas(context, made);
  if (refused) return refused;
  insertCategories(context, categories, missing, known);
  for (const { kind, part } of parts) if (kind === "categories") context.importParts.remove(part);
  for (const table of ["habits", "todos"] as const)
    for (const key of made[table]) known.ids.set(key, context.nextId(table));
  const created_at = timeOfImport(context);
  const named = { ...made, categories: categories.map(({ key }) => key) };
  for (const table of tables)
    for (const key of named[table])
      context.importKeys.upsert({
        key,
        kind: deletionKinds[table],
        id: idOfThing(known, { key }),
        created_at,
      });
  return made;
}

function withinQuotas({ useQuota }: HandlerContext, made: NewKeys): Refused | undefined {
  for (const table of tables)
    for (const _ of made[table]) {
      const refused = useQuota(table);
      if (refused) return refused;
    }
  return undefined;
}
