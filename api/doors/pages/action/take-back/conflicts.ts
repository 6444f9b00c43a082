import { Type } from "typebox";
import { Compile } from "typebox/compile";
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
import { namesOf } from "../../../../queries/action/names.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { idsNamedIn } from "../words/named-ids.ts";
import type { Word } from "../words/words.ts";
import { type Obstacle, sayObstacle } from "./conflict-words.ts";

const undoArguments = Compile(Type.Object({ stayed: Type.Array(UndoConflict) }));

/** What had to stay when an action was taken back, as the log's row of that says. */
export function stayedAt(undo: Pick<LoggedRow, "arguments">): readonly Obstacle[] {
  const { args } = readStored(undo.arguments);
  return undoArguments.Check(args) ? args.stayed : [];
}

/** An action with what stands against taking it back. */
type Hindered = Readonly<{ action: LoggedRow; obstacles: readonly Obstacle[] }>;
type Telling = Readonly<{
  timeZone: string;
  /** The token whose run is taken back: what it did on top comes back too and is in nothing's way. */
  except?: string;
}>;

/** More of an action would be read by nobody. */
const mostTold = 10;

/** @returns for each action a sentence for each obstacle, with who changed what since */
export async function tellObstacles(
  query: QueryContext,
  hindered: readonly Hindered[],
  { timeZone, except }: Telling,
): Promise<readonly (readonly (readonly Word[])[])[]> {
  const shown = hindered.map(({ action, obstacles }) => ({
    action,
    obstacles: obstacles.slice(0, mostTold),
  }));
  const [names, changes] = await Promise.all([
    namesOf(query, idsNamedIn(hindered.map(({ action }) => action))),
    readChanges(query, shown),
  ]);
  return shown.map(({ action, obstacles }, index) => {
    const later = changes.filter((change) => placeOf(change) > placeOf(action));
    const isOwn = ({ token_id }: LaterChange) => token_id === except;
    const othersFirst = later.toSorted((one, other) => Number(isOwn(one)) - Number(isOwn(other)));
    const told = obstacles
      .flatMap((obstacle) => explained(obstacle, othersFirst))
      .map(({ by, ...obstacle }) => sayObstacle(obstacle, { action, by, names, timeZone }));
    const more = (hindered[index]?.obstacles.length ?? 0) - obstacles.length;
    return more > 0 ? [...told, [`And ${more} more like that.`]] : told;
  });
}

const placeOf = ({ called_at, request_id }: Pick<LoggedRow, "called_at" | "request_id">): string =>
  `${called_at}_${request_id}`;

/** All changes since the oldest of the actions of the rows that are in the way; none while too much else is read. */
async function readChanges(
  query: QueryContext,
  hindered: readonly Hindered[],
): Promise<readonly LaterChange[]> {
  const rows = hindered.flatMap(({ obstacles }) => obstacles.flatMap(rowsInTheWay));
  const oldest = hindered
    .map(({ action }) => action)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))[0];
  if (!oldest || rows.length === 0) return [];
  const found = await query.inTurn((own) => readLaterChanges(own, oldest, [...new Set(rows)]), true);
  return isRefused(found) ? [] : found;
}

/** A reminder is a row of its own, whatever is said of the todo that it belongs to. */
const reminderOf = (row: string): string => row.replace("todos/", "reminders/");

function rowsInTheWay({ row, fields, why }: Obstacle): string[] {
  if (row === null || (why !== "changed_since" && why !== "deleted_since")) return [];
  return fields.includes("reminder") ? [row, reminderOf(row)] : [row];
}

type Explained = Obstacle & Readonly<{ by: LaterChange | undefined }>;

/** Fields that several changed since are told one by one. */
function explained(obstacle: Obstacle, changes: readonly LaterChange[]): readonly Explained[] {
  const { row, fields, why } = obstacle;
  if (row === null || rowsInTheWay(obstacle).length === 0) return [{ ...obstacle, by: undefined }];
  if (why === "deleted_since") return [{ ...obstacle, by: changes.find((change) => removes(change, row)) }];
  const first = (field: string) =>
    changes.find((change) =>
      field === "reminder" ? mentions(change, reminderOf(row)) : touches(change, row, field),
    );
  return [...Map.groupBy(fields, first)].map(([by, together]) => ({ row, why, fields: together, by }));
}
