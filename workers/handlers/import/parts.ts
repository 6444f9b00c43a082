import type { ImportedKind, ImportedThings } from "../../../shared/contracts/import/things.ts";
import type { ImportPartRow } from "../../../shared/db/entities.ts";
import type { LoadedTables } from "../handler.ts";

/** Ids of existing things by their keys in the file, also of things that this import makes. */
export type KnownIds = Map<string, number>;

type ImportKey = Readonly<{ import_id: string }>;

/** The parts of one file, in their order. */
export const stagedParts = (
  { importParts }: Pick<LoadedTables, "importParts">,
  { import_id }: ImportKey,
): ImportPartRow[] =>
  importParts
    .all()
    .filter((row) => row.import_id === import_id)
    .sort((one, other) => one.part - other.part);

/** All things of a kind. A front door has checked them by the contract of `import.stage`. */
export const stagedThings = <Kind extends ImportedKind>(
  parts: readonly ImportPartRow[],
  kind: Kind,
): ImportedThings[Kind][] =>
  parts.filter((row) => row.kind === kind).flatMap((row): ImportedThings[Kind][] => JSON.parse(row.content));
