import type { TodoPlace } from "../../../shared/contracts/todo/cursor.ts";
import { allOf, anyOf, type Condition, type QueryContext } from "../engine/context.ts";
import { type Extent, limitClause } from "../engine/pagination.ts";
import { join, type Sql, sql } from "../engine/sql.ts";

/**
 * The default order of todos. It is total: by due date with undated ones last, then by time of day (the enum's order,
 * none last), then by id.
 */
export const inOrder = sql`order by t.due_date, t.time_of_day, t.id`;

/** Completed todos, newest first. */
export const newestDone = sql`order by t.completed_on desc, t.completed_at desc, t.id desc`;

/** Written out, without a parameter, because only then is an index known to hold their todos in order. */
export const isPending: Condition = sql`not t.is_completed`;
export const isCompleted: Condition = sql`t.is_completed`;

/** The todos that a list shows. Its cost must not grow with a user's whole history. */
export type Selection = Readonly<{
  /** Each is a range of an index that holds it in order; together they are merged. */
  ranges: readonly Condition[];
  /** A condition that no index range expresses. It uses indexed columns only, so that no row is read in vain. */
  filter?: Condition | undefined;
  /** A condition on the row itself: each row of the ranges is read once, to find and count the matches. */
  search?: Condition | undefined;
}>;

/** Exact, and from the entries of an index alone unless there is a search. */
export function countTodos({ own }: QueryContext, selection: Selection) {
  const counts = conditionsOf(selection).map(
    (where) => sql`(select count(*) from ${own("todos")} t where ${where})`,
  );
  return sql<{ total: number }>`select ${join(counts, " + ")} as total`;
}

/** A part of a selection: what a page shows, or what comes after a todo. */
type Part = Pick<Extent, "limit" | "offset"> & Readonly<{ after?: TodoPlace | undefined }>;

/** A subquery of todos, and the number of all in the selection as an expression beside it. */
export type ListedTodos = Readonly<{ todos: Condition; total: Condition }>;

/**
 * A part of a selection. Where it is the beginning of a range, it is read as it lies. Else it is found among the
 * entries of the index, and only its own rows are looked up: none of those that come before it.
 */
export function todosInOrder(query: QueryContext, selection: Selection, part: Part): ListedTodos {
  if (selection.search) return todosFound(query, selection, part);
  const { after, ...extent } = part;
  const ranges = after
    ? selection.ranges.flatMap((range) => rangesAfter(after).map((later) => allOf(range, later)))
    : selection.ranges;
  const wanted = { ...selection, ranges };
  const total = countTodos(query, selection);
  if (!extent.offset && !selection.filter)
    return { todos: merged(query, wanted, extent, sql`t.*`), total: sql`(${total})` };
  const keys = merged(query, wanted, extent, sql`t.id, t.due_date, t.time_of_day`);
  return { todos: rowsAt(query, keys, sql`t.*`), total: sql`(${total})` };
}

/** Completed todos, the newest first. Their days are in an index, so a page reads only its own and those before it. */
export function todosDone(query: QueryContext, selection: Selection, extent: Extent): ListedTodos {
  const where = allOf(sql`t.completed_on is not null`, anyOf(conditionsOf(selection)));
  const page = (columns: Condition) =>
    sql`(select ${columns} from ${query.own("todos")} t where ${where} ${newestDone} ${limitClause(extent)})`;
  if (selection.search) return { todos: page(sql`t.*, count(*) over () as found`), total: sql`t.found` };
  return { todos: page(sql`t.*`), total: sql`(${countTodos(query, selection)})` };
}

/** Found and counted in one pass: counted apart, all rows would be searched twice. */
function todosFound(query: QueryContext, selection: Selection, { after, ...extent }: Part): ListedTodos {
  const found = sql`(select t.id, t.due_date, t.time_of_day, count(*) over () as found
    from ${query.own("todos")} t where ${anyOf(conditionsOf(selection))})`;
  const wanted = after ? anyOf(rangesAfter(after)) : sql`true`;
  const keys = sql`(select * from ${found} t where ${wanted} ${inOrder} ${limitClause(extent)})`;
  return { todos: rowsAt(query, keys, sql`t.*, place.found`), total: sql`t.found` };
}

/** Whole rows by their keys. */
const rowsAt = ({ own }: QueryContext, keys: Condition, columns: Sql): Condition =>
  sql`(select ${columns} from ${keys} place
    cross join lateral (select * from ${own("todos")} t where t.id = place.id offset 0) t)`;

/** If there are several ranges, each gives enough rows for the page, in order. */
function merged({ own }: QueryContext, selection: Selection, extent: Extent, columns: Sql): Condition {
  const partOf = (where: Condition, part: Extent) =>
    sql`(select ${columns} from ${own("todos")} t where ${where} ${inOrder} ${limitClause(part)})`;
  const [only, ...others] = conditionsOf(selection);
  if (only && others.length === 0) return partOf(only, extent);
  const { limit = 0, offset = 0 } = extent;
  const parts = conditionsOf(selection).map((where) => partOf(where, { limit: limit + offset }));
  return sql`(select * from (${join(parts, " union all ")}) t ${inOrder} ${limitClause(extent)})`;
}

function conditionsOf({ ranges, filter, search }: Selection): readonly Condition[] {
  const further = [filter, search].filter((condition) => condition !== undefined);
  return further.length > 0 ? ranges.map((range) => allOf(range, ...further)) : ranges;
}

/** The ranges of everything after a place. Nulls come last, and no index range continues into them. */
function rangesAfter({ id, due_date, time_of_day }: TodoPlace): Condition[] {
  const sameDay = due_date === null ? sql`t.due_date is null` : sql`t.due_date = ${due_date}::date`;
  const sameTime =
    time_of_day === null ? sql`t.time_of_day is null` : sql`t.time_of_day = ${time_of_day}::time_of_day`;
  const laterTimes =
    time_of_day === null
      ? []
      : [sql`t.time_of_day > ${time_of_day}::time_of_day`, sql`t.time_of_day is null`];
  const laterDays = due_date === null ? [] : [sql`t.due_date > ${due_date}::date`, sql`t.due_date is null`];
  return [
    allOf(sameDay, sameTime, sql`t.id > ${id}::bigint`),
    ...laterTimes.map((later) => allOf(sameDay, later)),
    ...laterDays,
  ];
}
