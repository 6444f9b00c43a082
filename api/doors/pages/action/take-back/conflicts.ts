import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { UndoConflict } from "../../../../../shared/contracts/action/undo.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import {
  type LaterChange,
  mentions,
  readLaterChanges,
  removes,
  touches,
} from "../../../../queries/action/later-change.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { namesThen, readNames } from "../words/known.ts";
import type { Word } from "../words/words.ts";
import { sayConflict } from "./conflict-words.ts";

/** An action with what keeps its undo from being whole. */
type Conflicting = Readonly<{ action: LoggedAction; conflicts: readonly UndoConflict[] }>;

const undoArguments = Compile(Type.Object({ stayed: Type.Array(UndoConflict) }));

/** What had to stay when an action was taken back, as the log's row of the undo says. */
export function conflictsOf(undo: Pick<LoggedAction, "arguments">): readonly UndoConflict[] {
  const { args } = readStored(undo.arguments);
  return undoArguments.Check(args) ? args.stayed : [];
}

/** More of an action would be read by nobody. */
const mostTold = 10;

/**
 * @param except the token whose run is taken back: what it did on top comes back too and is in nothing's way
 * @returns for each action a sentence for each conflict, with who changed what since
 */
export async function conflictsInWords(
  query: QueryContext,
  all: readonly Conflicting[],
  { timeZone, except }: Readonly<{ timeZone: string; except?: string }>,
): Promise<readonly (readonly (readonly Word[])[])[]> {
  const shown = all.map(({ action, conflicts }) => ({ action, conflicts: conflicts.slice(0, mostTold) }));
  const [present, changes] = await Promise.all([
    readNames(
      query,
      all.map(({ action }) => action),
    ),
    readChanges(query, shown),
  ]);
  const ownLast = changes.toSorted(
    (one, other) => Number(one.token_id === except) - Number(other.token_id === except),
  );
  return all.map(({ action, conflicts }) => {
    const later = ownLast.filter((change) => placeOf(change) > placeOf(action));
    const known = { action, names: namesThen(action, present), timeZone };
    const sentences = conflicts
      .slice(0, mostTold)
      .flatMap((conflict) => withChanges(conflict, later))
      .map(({ by, ...conflict }) => sayConflict(conflict, { ...known, by }));
    const more = conflicts.length - mostTold;
    return more > 0 ? [...sentences, [`And ${more} more like that.`]] : sentences;
  });
}

const placeOf = ({ called_at, request_id }: Pick<LoggedAction, "called_at" | "request_id">): string =>
  `${called_at}_${request_id}`;

/** All changes since the oldest of the actions of the rows that are in the way; none while too much else is read. */
async function readChanges(
  query: QueryContext,
  all: readonly Conflicting[],
): Promise<readonly LaterChange[]> {
  const rows = all.flatMap(({ conflicts }) => conflicts.flatMap(rowsInTheWay));
  const [oldest] = all
    .map(({ action }) => action)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  if (!oldest || rows.length === 0) return [];
  const found = await query.inTurn((own) => readLaterChanges(own, oldest, [...new Set(rows)]), true);
  return isRefused(found) ? [] : found;
}

/** A reminder is a row of its own, whatever is said of the todo that it belongs to. */
const reminderOf = (row: string): string => row.replace("todos/", "reminders/");

function rowsInTheWay({ row, fields, why }: UndoConflict): string[] {
  if (row === null || (why !== "changed_since" && why !== "deleted_since")) return [];
  return fields.includes("reminder") ? [row, reminderOf(row)] : [row];
}

/** Fields that several changed since are told one by one. */
function withChanges(conflict: UndoConflict, changes: readonly LaterChange[]) {
  const { row, fields, why } = conflict;
  if (row === null || rowsInTheWay(conflict).length === 0) return [{ ...conflict, by: undefined }];
  if (why === "deleted_since") return [{ ...conflict, by: changes.find((change) => removes(change, row)) }];
  const first = (field: string) =>
    changes.find((change) =>
      field === "reminder" ? mentions(change, reminderOf(row)) : touches(change, row, field),
    );
  return [...Map.groupBy(fields, first)].map(([by, together]) => ({ ...conflict, fields: together, by }));
}
