import type { Static } from "typebox";
import type { UndoConflict } from "../../../../shared/contracts/action/undo.ts";
import {
  changedSince,
  fieldsOf,
  type Image,
  isSame,
  type SeenTable,
} from "../../../../shared/domain/action/image-fields.ts";
import type { HandlerContext } from "../../handler.ts";

export type Conflict = Readonly<Static<typeof UndoConflict>>;

/** One row that an action changed: it made it (`after` alone), removed it (`before` alone) or changed fields. */
export type ChangedRow = Readonly<{
  name: string;
  table: SeenTable;
  key: readonly string[];
  before: Image | undefined;
  after: Image | undefined;
  /** True if the action was itself an undo, so that its new rows had existed before. */
  isReturn: boolean;
}>;

/** All that the action did, by row. */
export type ChangedRows = ReadonlyMap<string, ChangedRow>;

type UndoRow = (context: HandlerContext, row: ChangedRow, rows: ChangedRows) => readonly Conflict[];

/** The way to restore rows of one table. Each reports what has to stay, and why. */
export type TableUndo = Readonly<{
  /** Brings back a row that the action removed. */
  restore: UndoRow;
  /** Removes a row that the action made. */
  remove: UndoRow;
  /** Gives fields that the action changed their old values. */
  change: UndoRow;
}>;

export const conflictAt = (
  { name }: Pick<ChangedRow, "name">,
  why: Conflict["why"],
  fields: string[] = [],
): Conflict => ({ row: name, why, fields });

/** @returns the id that the row's key begins with */
export const idOf = ({ key }: ChangedRow): number => Number(key[0]);

/** @returns a conflict when the row is not as the action made it; that its category was deleted is no change of it */
export function touched(context: HandlerContext, row: ChangedRow, current: object): readonly Conflict[] {
  const { after: made = {} } = row;
  const isWithoutCategory = typeof made.category_id === "number" && !context.categories.get(made.category_id);
  const { category_id: _, ...others } = made;
  const fields = changedSince(row.table, isWithoutCategory ? others : made, current);
  return fields.length > 0 ? [conflictAt(row, "changed_since", fields)] : [];
}

type Restorable = Readonly<{ patch: Record<string, unknown>; conflicts: readonly Conflict[] }>;

/**
 * The old values of the fields that still have those that the action gave them.
 * @param groups fields that make sense only together: all of them come back, or none
 */
export function oldValues(
  row: ChangedRow,
  current: object,
  groups: readonly (readonly string[])[],
): Restorable {
  const { before = {}, after = {} } = row;
  const now = fieldsOf(row.table, current);
  const names = Object.keys(before);
  const together = groups.map((group) => group.filter((name) => names.includes(name)));
  const alone = names.filter((name) => !together.flat().includes(name)).map((name) => [name]);
  const patch: Record<string, unknown> = {};
  const changed: string[] = [];
  for (const group of [...together, ...alone]) {
    const others = group.filter((name) => !isSame(now[name], after[name]));
    if (others.length > 0) changed.push(...others);
    else for (const name of group) patch[name] = before[name] ?? null;
  }
  return { patch, conflicts: changed.length > 0 ? [conflictAt(row, "changed_since", changed)] : [] };
}

/** Leaves out a category that is gone. A former category that came back has the row as its member again. */
export function inPresentCategory(
  { categories }: HandlerContext,
  row: ChangedRow,
  { patch, conflicts }: Restorable,
): Restorable {
  const { category_id, former_category_id: former, ...others } = patch;
  if (typeof category_id === "number" && !categories.get(category_id))
    return { patch: others, conflicts: [...conflicts, conflictAt(row, "category_gone", ["category_id"])] };
  const isBack = typeof former === "number" && categories.get(former) !== undefined;
  if (!isBack) return { patch, conflicts };
  return { patch: { ...patch, category_id: category_id ?? former, former_category_id: null }, conflicts };
}
