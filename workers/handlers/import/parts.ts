import type { ImportedKind, ImportedThings } from "../../../shared/contracts/import/things.ts";
import type { ImportPartRow } from "../../../shared/db/entities.ts";
import type { LoadedTables } from "../handler.ts";

/** The parts of one file, in their order. */
export const stagedParts = (
  { importParts }: Pick<LoadedTables, "importParts">,
  { import_id }: Readonly<{ import_id: string }>,
): ImportPartRow[] =>
  importParts
    .all()
    .filter((row) => row.import_id === import_id)
    .sort((one, other) => one.part - other.part);

/** The things of a kind, as the reader of files has checked them. */
export const stagedThings = <Kind extends ImportedKind>(
  parts: readonly ImportPartRow[],
  kind: Kind,
): ImportedThings[Kind][] =>
  parts.filter((row) => row.kind === kind).flatMap((row): ImportedThings[Kind][] => JSON.parse(row.content));

/** The keys of the things of a kind, without parsing these. */
export const keysOf = (parts: readonly ImportPartRow[], kind: ImportedKind): string[] =>
  parts.flatMap((row) => (row.kind === kind ? row.keys : []));

/** Characters of JSON from which a worker makes things in some 10 ms. */
const lengthOfStep = 50_000;

/**
 * Groups the parts after the categories into steps. A habit comes with its whole history, which for
 * `maxImported.completions` takes 40 ms.
 */
export function inSteps(parts: readonly ImportPartRow[]): ImportPartRow[][] {
  const steps: ImportPartRow[][] = [];
  let room = 0;
  for (const part of parts.filter(({ kind }) => kind !== "categories")) {
    if (part.kind !== "histories" && part.content.length > room) {
      steps.push([]);
      room = lengthOfStep;
    }
    steps.at(-1)?.push(part);
    room -= part.content.length;
  }
  return steps;
}
