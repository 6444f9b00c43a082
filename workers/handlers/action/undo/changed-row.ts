import type { Static } from "typebox";
import type { UndoConflict } from "../../../../shared/contracts/action/contracts.ts";
import {
  changedSince,
  columnGroups,
  fieldsOf,
  type Image,
  isSame,
  keyColumns,
  type SeenTable,
  writerColumn,
} from "../../../../shared/domain/action/image-fields.ts";
import { daySettingsField } from "../../../../shared/domain/action/images.ts";
import type { OwnRows } from "../../../unit-of-work/state.ts";
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

export type ChangedRows = ReadonlyMap<string, ChangedRow>;

/** Takes one row back, as far as nothing else changed it. @returns what stayed, and why */
export type UndoRow = (context: HandlerContext, row: ChangedRow, rows: ChangedRows) => readonly Conflict[];

type Fields = Readonly<Record<string, unknown>>;

/** The rules of one table, where its rows differ from those of others. */
type Special<Row> = Readonly<{
  rowsIn(context: HandlerContext): OwnRows<Row>;
  /** The things to which its rows belong, by the id of their key. */
  ownersIn?(context: HandlerContext): Readonly<{ get(id: number): object | undefined }>;
  /** True if another row of the action decides whether this one comes or goes. */
  follows?(row: ChangedRow, rows: ChangedRows): boolean;
  /** True if something else has taken the place of a removed row. */
  isTaken?(context: HandlerContext, row: ChangedRow, rows: ChangedRows): boolean;
  /** Columns of a row that comes back, where its image has none. */
  usual?: Partial<Row>;
  /** Columns of a row that comes back, whatever its image has. */
  present?(context: HandlerContext, row: ChangedRow): Partial<Row>;
  returned?(context: HandlerContext, row: ChangedRow, made: Row): void;
  /** The conflicts that keep a made row; by default its changed fields. */
  conflicts?(context: HandlerContext, row: ChangedRow, current: Row, rows: ChangedRows): readonly Conflict[];
  /** Removes a row with what goes along. */
  remove?(context: HandlerContext, current: Row): void;
  /** Takes a change back, if its fields are not independent. */
  change?(context: HandlerContext, row: ChangedRow, current: Row, rows: ChangedRows): readonly Conflict[];
}>;

/** @returns the undo of a table's rows: it compares fields, and knows no noun */
export function undoing<Row extends Fields>(special: Special<Row>): UndoRow {
  const { rowsIn, ownersIn, follows, isTaken, usual, present, returned, conflicts, remove, change } = special;
  const hasOwner = (context: HandlerContext, row: ChangedRow) =>
    ownersIn === undefined || ownersIn(context).get(idOf(row)) !== undefined;
  const presentRow = (context: HandlerContext, { key: [id, ...others] }: ChangedRow) =>
    rowsIn(context).get(Number(id), ...others);

  const bringBack: UndoRow = (context, row, rows) => {
    if (!hasOwner(context, row)) return [conflictAt(row, "deleted_since")];
    if (follows?.(row, rows)) return [];
    if (presentRow(context, row) || isTaken?.(context, row, rows)) return [conflictAt(row, "made_again")];
    const { [daySettingsField]: _, ...before } = row.before ?? {};
    const { patch, conflicts } = inPresentCategory(context, row, { patch: before, conflicts: [] });
    const columns: Fields = { ...usual, ...patch, ...present?.(context, row), ...keyOf(row) };
    const made = rowsIn(context).insert(columns as Row);
    returned?.(context, row, made);
    return conflicts;
  };

  const takeOut: UndoRow = (context, row, rows) => {
    if (follows?.(row, rows)) return [];
    const current = presentRow(context, row);
    if (!current || !hasOwner(context, row)) return [conflictAt(row, "deleted_since")];
    const found = (conflicts ?? touched)(context, row, current, rows);
    if (found.length > 0) return found;
    if (remove) remove(context, current);
    else rowsIn(context).remove(idOf(row));
    return [];
  };

  const changeBack: UndoRow = (context, row, rows) => {
    const current = presentRow(context, row);
    if (!current) return [conflictAt(row, "deleted_since")];
    if (change) return change(context, row, current, rows);
    const { patch, conflicts } = oldValues(context, row, current);
    const at = "updated_at" in current ? { updated_at: context.now } : {};
    if (Object.keys(patch).length > 0) rowsIn(context).update(current, { ...patch, ...at } as Partial<Row>);
    return conflicts;
  };

  return (context, row, rows) =>
    (row.after === undefined ? bringBack : row.before === undefined ? takeOut : changeBack)(
      context,
      row,
      rows,
    );
}

export const conflictAt = (
  { name }: Pick<ChangedRow, "name">,
  why: Conflict["why"],
  fields: string[] = [],
): Conflict => ({ row: name, why, fields });

/** @returns the id that the row's key begins with */
export const idOf = ({ key }: ChangedRow): number => Number(key[0]);

/** @returns the columns of the row's key */
const keyOf = ({ table, key: [id, ...others] }: ChangedRow): Fields =>
  Object.fromEntries(keyColumns[table].map((column, index) => [column, [Number(id), ...others][index]]));

/** The row as the action left it, but in no category if its category was deleted since: that is no change of the row. */
function withoutGoneCategory({ categories }: HandlerContext, row: ChangedRow): ChangedRow {
  const id = row.after?.category_id;
  const isGone = typeof id === "number" && !categories.get(id);
  return isGone ? { ...row, after: { ...row.after, category_id: null } } : row;
}

/** @returns a conflict when the row is not as the action made it */
export function touched(context: HandlerContext, row: ChangedRow, current: Fields): readonly Conflict[] {
  const { after: made = {} } = withoutGoneCategory(context, row);
  const fields = changedSince(row.table, made, current);
  return fields.length > 0 ? [conflictAt(row, "changed_since", fields)] : [];
}

type Restorable = Readonly<{ patch: Fields; conflicts: readonly Conflict[] }>;

/**
 * Old values of the fields that still have the action's value.
 * @param groups further fields that make sense only together: all of them are restored, or none
 */
export function oldValues(
  context: HandlerContext,
  row: ChangedRow,
  current: Fields,
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
  if (isWritten) patch[writerColumn] = writerAgain(row, now);
  const conflicts = changed.length > 0 ? [conflictAt(row, "changed_since", changed)] : [];
  return inPresentCategory(context, row, { patch, conflicts });
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
function inPresentCategory(
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
