import type { ActionImagesRow, ActionRow } from "../../../../shared/db/entities.ts";
import type { Image } from "../../../../shared/domain/action/image-fields.ts";
import {
  type Images,
  lengthWithTexts,
  parseRowName,
  readImages,
} from "../../../../shared/domain/action/images.ts";
import { timestamp } from "../../../../shared/domain/day/day.ts";
import type { LoadedTables } from "../../handler.ts";
import type { ChangedRow, ChangedRows } from "./changed-row.ts";

/** The tool name of an undo in the log. */
export const undoTool = "action.undo";

type Stored = Readonly<{ before?: string | null | undefined; after?: string | null | undefined }>;

/** An undo first asks for its rows and later works with them. Images can be long, so they are parsed once. */
const parsed = new WeakMap<ActionRow, ChangedRows | undefined>();

/** @returns the changes of an action, by row; undefined if some are no longer stored */
export function changedRows(loaded: LoadedTables, action: ActionRow): ChangedRows | undefined {
  if (!parsed.has(action)) parsed.set(action, parse(storedImages(loaded, action), action));
  return parsed.get(action);
}

/** @returns the length of the images that an undo must parse (UTF-16 units) */
export const lengthOfImages = (loaded: LoadedTables, action: ActionRow): number =>
  storedImages(loaded, action)
    .map(({ before, after }) => lengthWithTexts(before ?? "") + lengthWithTexts(after ?? ""))
    .reduce((sum, length) => sum + length, 0);

/** The whole images of an action, and those of its further steps. A forgotten action has none. */
function storedImages({ images }: LoadedTables, action: ActionRow): readonly Stored[] {
  const own = images.all().filter(({ request_id }) => request_id === action.request_id);
  const isFirst = ({ called_at }: ActionImagesRow) => timestamp(called_at) === timestamp(action.called_at);
  const first = own.find(isFirst) ?? action;
  return first.after == null ? [first] : [first, ...own.filter((row) => !isFirst(row))];
}

function parse(stored: readonly Stored[], action: ActionRow): ChangedRows | undefined {
  const befores = stored.map(({ before }) => readImages(before));
  const afters = stored.map(({ after }) => readImages(after));
  if ([...befores, ...afters].some(({ cut }) => cut)) return undefined;
  const merged = (parts: typeof afters): Images => Object.assign({}, ...parts.map(({ images }) => images));
  return byRow(merged(befores), merged(afters), action.tool === undoTool);
}

function byRow(before: Images, after: Images, isReturn: boolean): ChangedRows {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map(
    [...names]
      .filter((name) => !isAnnounced(before[name], after[name]))
      .map((name): [string, ChangedRow] => [
        name,
        { name, ...parseRowName(name), before: before[name], after: after[name], isReturn },
      ]),
  );
}

/** A row without fields was to be made by a further step, which did not come. */
const isAnnounced = (before: Image | undefined, after: Image | undefined): boolean =>
  !before && after !== undefined && Object.keys(after).length === 0;
