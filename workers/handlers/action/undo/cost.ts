import { maxUndoneLength } from "../../../../shared/contracts/action/undo.ts";
import type { LoadedTables } from "../../handler.ts";
import { changedRows, lengthOfImages } from "./images-of.ts";

/** The most rows that one undo of several actions changes. It takes a worker some 50 ms, in which it answers nobody. */
const mostRows = 1_000;

/** @returns the first actions that fit into one command; at least one */
export function fitting<Key extends Readonly<{ request_id: string }>>(
  loaded: LoadedTables,
  keys: readonly Key[],
): readonly Key[] {
  const actions = new Map(loaded.actions.all().map((action) => [action.request_id, action]));
  let [rows, length] = [0, 0];
  const end = keys.findIndex(({ request_id }, index) => {
    const action = actions.get(request_id);
    if (!action) return false;
    length += lengthOfImages(loaded, action);
    rows += changedRows(loaded, action)?.size ?? 0;
    return index > 0 && (rows > mostRows || length > maxUndoneLength);
  });
  return end === -1 ? keys : keys.slice(0, end);
}
