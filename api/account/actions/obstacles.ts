import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { UndoConflict } from "../../../shared/contracts/action.ts";
import { readStored } from "../../../shared/domain/cut-arguments.ts";
import type { QueryContext } from "../../queries/context.ts";
import { type LaterChange, readLaterChanges, removes, touches } from "../../queries/later-change.ts";
import { namesOf } from "../../queries/names.ts";
import type { LoggedRow } from "./logged-row.ts";
import { idsNamedIn } from "./named-ids.ts";
import { type Obstacle, sayObstacle } from "./obstacle-words.ts";
import type { Word } from "./words.ts";

const undoArguments = Compile(Type.Object({ stayed: Type.Array(UndoConflict) }));

/** What had to stay when an action was taken back, as the log's row of that says. */
export function stayedAt(undo: Pick<LoggedRow, "arguments">): readonly Obstacle[] {
  const { args } = readStored(undo.arguments);
  return undoArguments.Check(args) ? args.stayed : [];
}

/** More would be read by nobody. */
const mostTold = 10;

/** @returns a sentence for each obstacle, with who changed what since */
export async function tellObstacles(
  query: QueryContext,
  action: LoggedRow,
  { obstacles, timeZone }: Readonly<{ obstacles: readonly Obstacle[]; timeZone: string }>,
): Promise<readonly (readonly Word[])[]> {
  const names = await namesOf(query, idsNamedIn([action]));
  const found = await Promise.all(obstacles.slice(0, mostTold).map((one) => byChange(query, action, one)));
  const told = found
    .flat()
    .map(({ by, ...obstacle }) => sayObstacle(obstacle, { action, by, names, timeZone }));
  const more = obstacles.length - mostTold;
  return more > 0 ? [...told, [`And ${more} more like that.`]] : told;
}

type Explained = Obstacle & Readonly<{ by: LaterChange | undefined }>;

/** Fields that several changed since are told one by one. */
async function byChange(query: QueryContext, action: LoggedRow, obstacle: Obstacle): Promise<Explained[]> {
  const { row, fields, why } = obstacle;
  if (row === null || (why !== "changed_since" && why !== "deleted_since"))
    return [{ ...obstacle, by: undefined }];
  // A reminder is a row of its own, whatever is said of the todo that it belongs to.
  const [changes, ofReminder] = await Promise.all([
    readLaterChanges(query, action, row),
    fields.includes("reminder") ? readLaterChanges(query, action, row.replace("todos/", "reminders/")) : [],
  ]);
  if (why === "deleted_since") return [{ ...obstacle, by: changes.find((change) => removes(change, row)) }];
  const first = (field: string) =>
    field === "reminder" ? ofReminder[0] : changes.find((change) => touches(change, row, field));
  return [...Map.groupBy(fields, first)].map(([by, together]) => ({ row, why, fields: together, by }));
}
