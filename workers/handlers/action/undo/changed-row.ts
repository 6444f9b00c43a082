import type { Static } from "typebox";
import type { UndoConflict } from "../../../../shared/contracts/action/contracts.ts";
import {
  changedSince,
  columnGroups,
  fieldsOf,
  type Image,
  isSame,
  type SeenTable,
  writerColumn,
} from "../../../../shared/domain/action/image-fields.ts";
import type { HandlerContext } from "../../handler.ts";

export type Conflict = Readonly<Static<typeof UndoConflict>>;

/** A row that an action made (`after` alone), removed (`before` alone) or changed. */
export type ChangedRow = Readonly<{
  name: string;
  table: SeenTable;
  key: readonly string[];
  before: Image | undefined;
  after: Image | undefined;
  /** True if the action was itself an undo, so that its new rows had existed before. */
  isReturn: boolean;
}>;

/** All changes of the action, by row. */
export type ChangedRows = ReadonlyMap<string, ChangedRow>;

type UndoRow = (context: HandlerContext, row: ChangedRow, rows: ChangedRows) => readonly Conflict[];

/** The way to restore rows of one table. Each function reports conflicts. */
export type TableUndo = Readonly<{
  /** Brings back a row that the action removed. */
  restore: UndoRow;
  /** Removes a row that the action made. */
  remove: UndoRow;
  /** Restores the old values of changed fields. */
  change: UndoRow;
}>;

export const conflictAt = (
  { name }: Pick<ChangedRow, "name">,
  why: Conflict["why"],
  fields: string[] = [],
): Conflict => ({ row: name, why, fields });

/** @returns the id that the row's key begins with */
export const idOf = ({ key }: ChangedRow): number => Number(key[0]);

/** The row as the action left it, but in no category if its category was deleted since: that is no change of the row. */
function withoutGoneCategory({ categories }: HandlerContext, row: ChangedRow): ChangedRow {
  const id = row.after?.category_id;
  const isGone = typeof id === "number" && !categories.get(id);
  return isGone ? { ...row, after: { ...row.after, category_id: null } } : row;
}

/** @returns a conflict when the row is not as the action made it */
export function touched(context: HandlerContext, row: ChangedRow, current: object): readonly Conflict[] {
  const { after: made = {} } = withoutGoneCategory(context, row);
  const fields = changedSince(row.table, made, current);
  return fields.length > 0 ? [conflictAt(row, "changed_since", fields)] : [];
}

type Restorable = Readonly<{ patch: Record<string, unknown>; conflicts: readonly Conflict[] }>;

/**
 * Old values of the fields that still have the action's value.
 * @param groups further fields that make sense only together: all of them are restored, or none
 */
export function oldValues(
  context: HandlerContext,
  row: ChangedRow,
  current: object,
  groups: readonly (readonly string[])[] = [],
): Restorable {
  const { before = {}, after = {} } = withoutGoneCategory(context, row);
  const now = fieldsOf(row.table, current);
  const { former_category_id } = before;
  const names = Object.keys(before).filter((name) => name !== writerColumn && name !== "former_category_id");
  const declared = columnGroups[row.table] ?? [];
  const together = [declared, ...groups].map((group) => group.filter((name) => names.includes(name)));
  const alone = names.filter((name) => !together.flat().includes(name)).map((name) => [name]);
  const patch: Record<string, unknown> = {};
  const changed: string[] = [];
  for (const group of [...together, ...alone]) {
    const others = group.filter((name) => !isSame(now[name], after[name]));
    if (others.length > 0) changed.push(...others);
    else for (const name of group) patch[name] = before[name] ?? null;
  }
  if ("category_id" in patch && former_category_id != null) patch.former_category_id = former_category_id;
  const isWritten = writerColumn in current && Object.keys(patch).length > 0;
  return {
    patch: isWritten ? { ...patch, [writerColumn]: writerAgain(row, now) } : patch,
    conflicts: changed.length > 0 ? [conflictAt(row, "changed_since", changed)] : [],
  };
}

/** Old words are those of their writer, not of whoever brings them back. */
function writerAgain({ before = {}, after = {} }: ChangedRow, now: Image): unknown {
  const isOfAction = writerColumn in before && isSame(now[writerColumn], after[writerColumn]);
  return (isOfAction ? before : now)[writerColumn] ?? null;
}

/**
 * A row whose category is gone is in none, until that comes back. A former category that came back has the row as its
 * member again.
 */
export function inPresentCategory(
  { categories }: HandlerContext,
  row: ChangedRow,
  { patch, conflicts }: Restorable,
): Restorable {
  const { category_id, former_category_id: former } = patch;
  if (typeof category_id === "number" && !categories.get(category_id))
    return {
      patch: { ...patch, category_id: null, former_category_id: category_id },
      conflicts: [...conflicts, conflictAt(row, "category_gone", ["category_id"])],
    };
  const isBack = typeof former === "number" && categories.get(former) !== undefined;
  if (!isBack) return { patch, conflicts };
  return { patch: { ...patch, category_id: category_id ?? former, former_category_id: null }, conflicts };
}
