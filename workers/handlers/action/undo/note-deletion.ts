import type { DeletionRow } from "../../../../shared/db/entities.ts";
import type { HandlerContext } from "../../handler.ts";

type Hanging = Pick<DeletionRow, "completed_dates" | "completed_times" | "habit_ids" | "todo_ids">;
const nothing: Hanging = { completed_dates: null, completed_times: null, habit_ids: null, todo_ids: null };

/**
 * Notes what hangs on a row that this command removes, where the statement of its removal cannot: it sees no rows that
 * this command brought back itself.
 */
export function noteDeletion(
  { deletions, now }: HandlerContext,
  kind: number,
  id: number,
  hanging: Partial<Hanging>,
) {
  // The statement that writes the note fills in the number of its transaction.
  deletions.insert({ kind, id, changed_xid: "", deleted_at: now, ...nothing, ...hanging });
}
