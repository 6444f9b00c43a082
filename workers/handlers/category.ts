import { categoryFields, refuseCategory } from "../../shared/contracts/category/fields.ts";
import type { CategoryRow } from "../../shared/db/entities.ts";
import { presentCategory } from "../../shared/db/present.ts";
import { categoriesNamed } from "../../shared/domain/category/by-name.ts";
import { invalid, notFound, type Refused } from "../../shared/errors.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import { allWithoutLock, forKeyShare, forUpdate, type RowRequest } from "../unit-of-work/row-request.ts";
import { givenColumns, newColumns } from "./columns.ts";
import {
  beginWork,
  countRows,
  type Handler,
  type HandlerContext,
  type OwnTables,
  type Related,
  type StepContext,
  type Steps,
} from "./handler.ts";

type OneCategory = Readonly<{ category_id: number }>;

const lockCategory = ({ category_id }: OneCategory): RowRequest[] => [forUpdate("categories", category_id)];

function currentCategory({ categories }: HandlerContext, { category_id }: OneCategory) {
  const row = categories.get(category_id);
  return row && presentCategory(row);
}

type NewCategory = Parameters<typeof newColumns<typeof categoryFields>>[1];

function insertCategory({ categories, nextId, now }: HandlerContext, input: NewCategory): CategoryRow {
  const columns = newColumns(categoryFields, input);
  return categories.insert({ id: nextId("categories"), ...columns, created_at: now, updated_at: now });
}

/** The fields of a habit or todo that name its category, by id or by name. */
type CategoryFields = Readonly<{
  category_id?: number | null;
  category?: string | null;
  new_category?: string | null;
}>;

type CategoryColumn = () => Readonly<{ category_id?: number | null }>;

const nameIn = ({ category, new_category }: CategoryFields) => category ?? new_category;

/** The rows for a category's id or name. A name has its id only once all names are loaded. */
export function categoryRows(input: CategoryFields): RowRequest[] {
  const { category_id } = input;
  const name = nameIn(input);
  if (name == null && category_id == null) return [];
  return [...forKeyShare("categories", category_id), ...(name == null ? [] : [allWithoutLock("categories")])];
}

/** All categories of that name are locked, because an earlier command may rename one of them. */
export function relatedToChoice({ categories }: OwnTables, input: CategoryFields): Related {
  const name = nameIn(input);
  if (name == null) return { rows: [] };
  const rows = categoriesNamed(categories.all(), name).flatMap(({ id }) => forKeyShare("categories", id));
  return { rows, makes: input.new_category == null ? [] : ["categories"] };
}

/**
 * The chosen category as a column; no column if none is named. A new category is made only when the column is read,
 * after all refusals. Somebody else's category and an unknown one get the same refusal, so ids of others cannot be
 * guessed.
 */
export function chosenCategory(
  context: HandlerContext,
  { category_id, category, new_category }: CategoryFields,
): CategoryColumn | Refused {
  const { categories } = context;
  const column = (category_id: number | null) => () => ({ category_id });
  if (category != null) {
    const known = allCategories(context);
    const [oldest] = categoriesNamed(known, category);
    return oldest ? column(oldest.id) : refuseCategory(known, "new_category makes a new one.");
  }
  if (new_category != null) return newCategory(context, new_category);
  if (category_id === undefined) return category === null ? column(null) : () => ({});
  if (category_id === null || categories.get(category_id)) return column(category_id);
  return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
}

/** Ordered by id, so the first of a name is the oldest. */
const allCategories = ({ categories }: Pick<HandlerContext, "categories">) =>
  categories.all().sort((one, other) => one.id - other.id);

/** An existing category is used again, because one call may name it for several things. */
function newCategory(context: HandlerContext, name: string): CategoryColumn | Refused {
  const [oldest] = categoriesNamed(allCategories(context), name);
  if (oldest) return () => ({ category_id: oldest.id });
  return context.useQuota("categories") ?? (() => ({ category_id: insertCategory(context, { name }).id }));
}

/**
 * Removes a category from its members: from loaded ones here, from other habits by a trigger, from other todos in
 * steps. Each keeps its id, by which an undo finds them.
 */
export function removeCategory(context: HandlerContext, category_id: number): void {
  const { categories, habits, todos } = context;
  const left = { category_id: null, former_category_id: category_id };
  for (const row of habits.all()) if (row.category_id === category_id) habits.update(row, left);
  for (const row of todos.all()) if (row.category_id === category_id) todos.update(row, left);
  categories.remove(category_id);
  beginWork(context, "category.delete", { category_id });
}

export const categoryCreate: Handler<"category.create"> = {
  stores: "more",
  makes: "categories",
  run(context, input) {
    return context.useQuota("categories") ?? presentCategory(insertCategory(context, input));
  },
};

export const categoryUpdate: Handler<"category.update"> = {
  stores: "more",
  rows: lockCategory,
  current: currentCategory,
  run({ categories, now }, { category_id, ...input }) {
    const row = categories.get(category_id);
    if (!row) return notFound("Category");
    const changed = givenColumns(categoryFields, input);
    return presentCategory(categories.update(row, { ...changed, updated_at: now }));
  },
};

export const categoryRename: Handler<"category.rename"> = {
  stores: "more",
  rows: () => [allWithoutLock("categories")],
  // An earlier command may rename one of them, so all categories of that name are locked.
  related: ({ categories }, { category }) => ({
    rows: categoriesNamed(categories.all(), category).map(({ id }) => forUpdate("categories", id)),
  }),
  run(context, { category, name }) {
    const known = allCategories(context);
    const [oldest] = categoriesNamed(known, category);
    if (!oldest) return refuseCategory(known);
    return presentCategory(context.categories.update(oldest, { name, updated_at: context.now }));
  },
};

export const membersAtOnce = 1_000;

/** An undo may have restored the category, and then its members stay. */
const members = `
  from todos t where t.user_id = $1 and t.category_id = $2
    and not exists (select from categories c where c.user_id = $1 and c.id = $2)`;

const leave = `
  update todos set category_id = null, former_category_id = category_id, changed_xid = default
  where user_id = $1 and id = any(array(select t.id ${members} order by t.id limit ${membersAtOnce} for update))`;

const valuesOf = ({ userId, input }: StepContext<OneCategory>) => [userId, input.category_id];

/** Removes a deleted category from its todos. Reads show it as gone from the beginning. */
const leaveCategory: Steps<OneCategory> = {
  async part(context) {
    const { rowCount } = await context.connection.query(leave, valuesOf(context));
    const done = rowCount ?? 0;
    return { done, cursor: done < membersAtOnce ? null : "next" };
  },
  left: (context) => countRows(context, members, valuesOf(context)),
};

/** Habits and todos of the category stay. */
export const categoryDelete: Handler<"category.delete"> = {
  steps: leaveCategory,
  rows: lockCategory,
  current: currentCategory,
  run(context, { category_id }) {
    if (!context.categories.get(category_id)) return notFound("Category");
    removeCategory(context, category_id);
    return null;
  },
};

/** Loaded members return here, so that the next undo finds them as they were; all others return in steps. */
export function returnLoadedMembers({ habits, todos }: HandlerContext, id: number): void {
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

/** Restored categories whose members must follow. */
export type ReturningMembers = readonly Readonly<{ category_id: number }>[];

export const membersReturn: Steps<Readonly<{ left: ReturningMembers }>> = {
  async part({ connection, userId, input }) {
    const done = await returnMembers(connection, userId, input.left);
    return { done, cursor: done < membersAtOnce ? null : "next" };
  },
  left: (context) => countRows(context, formerMembers("todos"), [context.userId, idsOf(context.input.left)]),
};

const formerMembers = (table: "habits" | "todos"): string => `
  from ${table} t join categories c on c.user_id = t.user_id and c.id = t.former_category_id
  where t.user_id = $1 and t.former_category_id = any($2::bigint[])`;

/** A member of another category stays there. */
const comeBack = (table: "habits" | "todos"): string => `
  update ${table} set
    category_id = coalesce(category_id, former_category_id), former_category_id = null, changed_xid = default
  where user_id = $1 and id = any(array(
    select t.id ${formerMembers(table)} order by t.former_category_id, t.id limit ${membersAtOnce} for update of t))`;

const idsOf = (left: ReturningMembers): number[] => left.map(({ category_id }) => category_id);

/**
 * Restores the next members.
 * @returns their number; fewer than `membersAtOnce` are the last
 */
export async function returnMembers(
  connection: Queryable,
  userId: string,
  left: ReturningMembers,
): Promise<number> {
  if (left.length === 0) return 0;
  const results = await Promise.all(
    (["habits", "todos"] as const).map((table) => connection.query(comeBack(table), [userId, idsOf(left)])),
  );
  return Math.max(...results.map(({ rowCount }) => rowCount ?? 0));
}
