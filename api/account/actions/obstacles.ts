import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { UndoConflict } from "../../../shared/contracts/action.ts";
import { readStored } from "../../../shared/domain/cut-arguments.ts";
import type { QueryContext } from "../../queries/context.ts";
import { readLaterChange } from "../../queries/later-change.ts";
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
  const told = obstacles.slice(0, mostTold).map(async (obstacle) => {
    const by = await whoChanged(query, action, obstacle);
    return sayObstacle(obstacle, { action, by, names, timeZone });
  });
  const more = obstacles.length - told.length;
  return [...(await Promise.all(told)), ...(more > 0 ? [[`And ${more} more like that.`]] : [])];
}

async function whoChanged(query: QueryContext, action: LoggedRow, { row, fields, why }: Obstacle) {
  if (row === null || (why !== "changed_since" && why !== "deleted_since")) return undefined;
  // A reminder is a row of its own, whatever is said of the todo that it belongs to.
  const isReminder = fields.includes("reminder");
  const touched = isReminder ? { row: row.replace("todos/", "reminders/"), fields: [] } : { row, fields };
  return readLaterChange(query, action, touched);
}
