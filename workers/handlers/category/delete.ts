import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import type { StepContext, Steps } from "../steps.ts";
import { removeCategory } from "./remove.ts";
import { currentCategory, lockCategory } from "./rows.ts";

const rowsAtOnce = 1_000;

/** An undo may have restored the category, and then its members stay. */
const members = `
  from todos t where t.user_id = $1 and t.category_id = $2
    and not exists (select from categories c where c.user_id = $1 and c.id = $2)`;

const leave = `
  update todos set category_id = null, former_category_id = category_id, changed_xid = default
  where user_id = $1 and id = any(array(select t.id ${members} order by t.id limit ${rowsAtOnce} for update))`;

const valuesOf = ({ userId, input }: StepContext) => [userId, (input as { category_id: number }).category_id];

/** Removes a deleted category from its todos. Reads show it as gone from the beginning. */
const leaveCategory: Steps = {
  async part(context) {
    const { rowCount } = await context.connection.query(leave, valuesOf(context));
    const done = rowCount ?? 0;
    return { done, cursor: done < rowsAtOnce ? null : "next" };
  },
  async left(context) {
    const count = `select count(*)::int as count ${members}`;
    const { rows } = await context.connection.query<{ count: number }>(count, valuesOf(context));
    return rows[0]?.count ?? 0;
  },
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
