import { isRefused, type Refused } from "../../../../shared/errors.ts";
import type { Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import type { Part } from "./parts.ts";

export type StagedImport = Readonly<{ import_id: string; parts: number }>;

/** Stores the things of a file, part after part, until its person confirms. */
export async function stageParts(visit: Visit, parts: readonly Part[]): Promise<StagedImport | Refused> {
  const import_id = crypto.randomUUID();
  for (const [part, things] of parts.entries()) {
    const outcome = await submit(visit, "import.stage", { import_id, part, ...things });
    if (isRefused(outcome)) return outcome;
  }
  return { import_id, parts: parts.length };
}
