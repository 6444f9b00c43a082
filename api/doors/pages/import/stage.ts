import type { ImportedKind } from "../../../../shared/contracts/import/things.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import type { Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import type { ImportPlan } from "./plan.ts";

/** Parts are no larger than other commands, so that a file delays nobody's. */
const partLength = 48_000;
const datesInPart = 1_000;

type Part = Readonly<{ kind: ImportedKind; list: readonly unknown[] }>;

export type StagedImport = Readonly<{ import_id: string; parts: number }>;

/** Stores the things of a file, part after part, until its person confirms. */
export async function stagePlan(
  visit: Visit,
  { things }: Pick<ImportPlan, "things">,
): Promise<StagedImport | Refused> {
  const parts = [...partsOf(things)];
  const import_id = crypto.randomUUID();
  for (const [part, { kind, list }] of parts.entries()) {
    const outcome = await submit(visit, "import.stage", { import_id, part, [kind]: list });
    if (isRefused(outcome)) return outcome;
  }
  return { import_id, parts: parts.length };
}

/** The things of a plan, in parts no longer than other commands. */
export function* partsOf(things: ImportPlan["things"]): Generator<Part> {
  const histories = things.histories.flatMap(shortHistories);
  const lists = { ...things, histories };
  for (const kind of ["categories", "habits", "histories", "todos"] as const) {
    let [list, length]: [unknown[], number] = [[], 0];
    for (const thing of lists[kind]) {
      const own = JSON.stringify(thing).length;
      if (list.length > 0 && length + own > partLength) {
        yield { kind, list };
        [list, length] = [[], 0];
      }
      list.push(thing);
      length += own;
    }
    if (list.length > 0) yield { kind, list };
  }
}

function shortHistories({ habit, dates, times, sums }: ImportPlan["things"]["histories"][number]) {
  const count = Math.ceil(Math.max(dates.length, sums?.length ?? 0) / datesInPart);
  return Array.from({ length: count }, (_, index) => {
    const part = [index * datesInPart, (index + 1) * datesInPart] as const;
    return {
      habit,
      dates: dates.slice(...part),
      times: times.slice(...part),
      sums: sums?.slice(...part) ?? null,
    };
  });
}
