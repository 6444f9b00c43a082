import type { ActionRow } from "../../../../shared/db/entities.ts";
import { type Images, parseRowName } from "../../../../shared/domain/images.ts";
import { readImages } from "../../../../shared/domain/stored-images.ts";
import type { LoadedTables } from "../../handler.ts";
import type { ChangedRow, ChangedRows } from "./changed-row.ts";

/** The tool by which the log knows an undo. */
export const undoTool = "action.undo";

/** @returns what an action did, by row; undefined when some of that is no longer stored */
export function changedRows({ images }: LoadedTables, action: ActionRow): ChangedRows | undefined {
  const whole = images.all().find(({ request_id }) => request_id === action.request_id);
  const [before, after] = [
    readImages(whole?.before ?? action.before),
    readImages(whole?.after ?? action.after),
  ];
  return before.cut || after.cut ? undefined : byRow(before.images, after.images, action.tool === undoTool);
}

function byRow(before: Images, after: Images, isReturn: boolean): ChangedRows {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map(
    [...names].map((name): [string, ChangedRow] => [
      name,
      { name, ...parseRowName(name), before: before[name], after: after[name], isReturn },
    ]),
  );
}
