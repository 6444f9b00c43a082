import type { CategoryRow } from "../../../../shared/db/entities.ts";
import type { Queryable } from "../../../unit-of-work/connection.ts";
import { removeCategory } from "../../category.ts";
import type { HandlerContext } from "../../handler.ts";
import type { Steps } from "../../steps.ts";
import { type ChangedRows, conflictAt, idOf, oldValues, type TableUndo, touched } from "./changed-row.ts";

export const takeBackCategory: TableUndo = {
  restore(context, row) {
    const id = idOf(row);
    if (context.categories.get(id)) return [conflictAt(row, "made_again")];
    context.categories.insert({ ...(row.before as Omit<CategoryRow, "id">), id });
    restoreMembers(context, id);
    return [];
  },
  remove(context, row) {
    const { categories } = context;
    const current = categories.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const conflicts = touched(context, row, current);
    if (conflicts.length > 0) return conflicts;
    // Undoing the return of a category removes it from its members again.
    if (!row.isReturn && isInUse(context, current.id)) return [conflictAt(row, "in_use")];
    removeCategory(context, current.id);
    return [];
  },
  change(context, row) {
    const { categories, now } = context;
    const current = categories.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const { patch, conflicts } = oldValues(context, row, current);
    if (Object.keys(patch).length > 0) categories.update(current, { ...patch, updated_at: now });
    return conflicts;
  },
};

/** Loaded members return here, so that the next undo finds them as they were; all others return in steps. */
function restoreMembers({ habits, todos }: HandlerContext, id: number): void {
  const isFormer = (row: Member) => row.former_category_id === id;
  for (const row of habits.all().filter(isFormer)) habits.update(row, inFormerCategory(row));
  for (const row of todos.all().filter(isFormer)) todos.update(row, inFormerCategory(row));
}

type Member = Readonly<Partial<Record<"category_id" | "former_category_id", number | null | undefined>>>;

/** A member that is in another category now stays there. */
const inFormerCategory = ({ category_id, former_category_id }: Member) => ({
  category_id: category_id ?? former_category_id ?? null,
  former_category_id: null,
});

/**
 * True if an action made a category to which the undo of another one may bring a row back.
 * @param others the rows of the other actions; any, if these are not known here
 */
export function mayBeReturnedTo(rows: ChangedRows, others: readonly ChangedRows[] | "any"): boolean {
  const made = [...rows.values()].filter(({ table, before }) => table === "categories" && !before).map(idOf);
  if (made.length === 0 || others === "any") return made.length > 0;
  return others.some((other) =>
    [...other.values()].some(({ before }) => made.includes(before?.category_id as number)),
  );
}

/** True if the category has members other than those that this command removed. */
function isInUse({ categoryMembers, habits, todos }: HandlerContext, id: number): boolean {
  const stored = categoryMembers.get(id);
  return (
    [...habits.all(), ...todos.all()].some(({ category_id }) => category_id === id) ||
    (stored?.habit_ids ?? []).some((habitId) => !habits.isKnown(Number(habitId))) ||
    (stored?.todo_ids ?? []).some((todoId) => !todos.isKnown(Number(todoId)))
  );
}

/** Restored categories whose members must follow. */
type Left = readonly Readonly<{ category_id: number }>[];

/** The categories that this undo restored. */
export function categoriesBack({ categories }: HandlerContext, actions: readonly ChangedRows[]): Left {
  const gone = actions.flatMap((rows) =>
    [...rows.values()].filter(({ table, after }) => table === "categories" && !after),
  );
  const ids = new Set(gone.map(idOf).filter((id) => categories.get(id)));
  return [...ids].map((category_id) => ({ category_id }));
}

/** Members of restored categories, in steps. */
export const membersReturn: Steps = {
  async part({ connection, userId, input }) {
    const done = await returnMembers(connection, userId, (input as { left: Left }).left);
    return { done, cursor: done < membersAtOnce ? null : "next" };
  },
  async left({ connection, userId, input }) {
    const { rows } = await connection.query<{ count: number }>(
      `select count(*)::int as count ${formerMembers("todos")}`,
      [userId, idsOf((input as { left: Left }).left)],
    );
    return rows[0]?.count ?? 0;
  },
};

/** The most members of one part. */
export const membersAtOnce = 1_000;

const formerMembers = (table: "habits" | "todos"): string => `
  from ${table} t join categories c on c.user_id = t.user_id and c.id = t.former_category_id
  where t.user_id = $1 and t.former_category_id = any($2::bigint[])`;

/** A member of another category stays there. */
const comeBack = (table: "habits" | "todos"): string => `
  update ${table} set
    category_id = coalesce(category_id, former_category_id), former_category_id = null, changed_xid = default
  where user_id = $1 and id = any(array(
    select t.id ${formerMembers(table)} order by t.former_category_id, t.id limit ${membersAtOnce} for update of t))`;

const idsOf = (left: Left): number[] => left.map(({ category_id }) => category_id);

/**
 * Restores the next members.
 * @returns their number; fewer than `membersAtOnce` are the last
 */
export async function returnMembers(connection: Queryable, userId: string, left: Left): Promise<number> {
  if (left.length === 0) return 0;
  const results = await Promise.all(
    (["habits", "todos"] as const).map((table) => connection.query(comeBack(table), [userId, idsOf(left)])),
  );
  return Math.max(...results.map(({ rowCount }) => rowCount ?? 0));
}
