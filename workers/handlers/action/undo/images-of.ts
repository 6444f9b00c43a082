import type { ActionRow } from "../../../../shared/db/entities.ts";
import { type Images, parseRowName } from "../../../../shared/domain/action/images.ts";
import { lengthWithTexts } from "../../../../shared/domain/action/shared-texts.ts";
import { readImages } from "../../../../shared/domain/action/stored-images.ts";
import type { LoadedTables } from "../../handler.ts";
import type { ChangedRow, ChangedRows } from "./changed-row.ts";

/** The tool name of an undo in the log. */
export const undoTool = "action.undo";

type Stored = Readonly<{ before: string | null | undefined; after: string | null | undefined }>;

/** An undo first asks for its rows and later works with them. Images can be long, so they are parsed once. */
const parsed = new WeakMap<ActionRow, ChangedRows | undefined>();

/** @returns the changes of an action, by row; undefined if some are no longer stored */
export function changedRows(loaded: LoadedTables, action: ActionRow): ChangedRows | undefined {
  if (!parsed.has(action)) parsed.set(action, parse(storedImages(loaded, action), action));
  return parsed.get(action);
}

/** @returns the length of the images that an undo must parse (UTF-16 units) */
export function lengthOfImages(loaded: LoadedTables, action: ActionRow): number {
  const { before, after } = storedImages(loaded, action);
  return lengthWithTexts(before ?? "") + lengthWithTexts(after ?? "");
}

const storedImages = ({ images }: LoadedTables, action: ActionRow): Stored =>
  images.all().find(({ request_id }) => request_id === action.request_id) ?? action;

function parse(stored: Stored, action: ActionRow): ChangedRows | undefined {
  const [before, after] = [readImages(stored.before), readImages(stored.after)];
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
