import type { ImportedThings } from "../../../shared/contracts/import/things.ts";
import { joinPauses, type Pause } from "../../../shared/domain/habit/free-days.ts";
import type { PauseDates } from "../../../shared/domain/habit/pause.ts";

type PausedThing = Pick<ImportedThings["habits"], "paused_from" | "paused_through" | "pauses">;

/** The pause of an imported habit; one that ends before it begins is ignored. */
export function importedPause({ paused_from, paused_through }: PausedThing): PauseDates {
  const isPause = paused_from !== null && (paused_through === null || paused_from <= paused_through);
  return isPause ? { paused_from, paused_through } : { paused_from: null, paused_through: null };
}

/** The pauses of an imported habit, the present one included. */
export function importedPauses(thing: PausedThing): Pause[] {
  const { paused_from: from, paused_through: through } = importedPause(thing);
  const all = [...(thing.pauses ?? []), ...(from === null ? [] : [{ from, through }])];
  return joinPauses(all.filter(({ from, through }) => through === null || from <= through));
}
