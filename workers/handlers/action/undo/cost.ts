import { maxUndoneLength } from "../../../../shared/contracts/action/undo.ts";
import type { ActionRow } from "../../../../shared/db/entities.ts";
import { countField } from "../../../../shared/domain/action/image-fields.ts";
import type { LoadedTables } from "../../handler.ts";
import { changedRows, lengthOfImages } from "./images-of.ts";

/** How many rows one command of several actions changes: that takes a worker some 50 ms, and meanwhile it answers nobody. */
const mostRows = 1_000;
/** PostgreSQL writes completions by itself: the bound is what it does in some 0.2 s. */
const completionsPerRow = 5;

/** @returns as many actions from the first on as one command takes back; one is always taken back */
export function fitting<Key extends Readonly<{ request_id: string }>>(
  loaded: LoadedTables,
  keys: readonly Key[],
  isPreview: boolean,
): readonly Key[] {
  const actions = new Map(loaded.actions.all().map((action) => [action.request_id, action]));
  let [rows, length] = [0, 0];
  const end = keys.findIndex(({ request_id }, index) => {
    const action = actions.get(request_id);
    if (!action) return false;
    length += lengthOfImages(loaded, action);
    rows += rowsOf(loaded, action, isPreview);
    return index > 0 && (rows > mostRows || length > maxUndoneLength);
  });
  return end === -1 ? keys : keys.slice(0, end);
}

/** A preview writes no completions. */
function rowsOf(loaded: LoadedTables, action: ActionRow, isPreview: boolean): number {
  const rows = [...(changedRows(loaded, action)?.values() ?? [])];
  if (isPreview) return rows.length;
  const completions = rows
    .filter(({ table, before, after }) => table === "habits" && (!before || !after))
    .map(({ before, after }) => Number((before ?? after)?.[countField] ?? 0))
    .reduce((sum, count) => sum + count, 0);
  return rows.length + completions / completionsPerRow;
}
