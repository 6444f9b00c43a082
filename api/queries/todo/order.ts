import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import type { DonePlace, TodoPlace } from "../../../shared/contracts/todo/filters.ts";
import { own } from "../../../shared/db/reads/own.ts";
import { join, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, anyOf, type Condition, type QueryContext, readDaySettings } from "../engine/context.ts";
import { type Extent, limitClause } from "../engine/pagination.ts";
import { hasText } from "../engine/search.ts";

/**
 * The default order of todos. It is total: by due date with undated ones last, then by due time (none last), then by
 * time of day (the enum's order, none last), then by id.
 */
export const inOrder = sql`order by t.due_date, t.due_time, t.time_of_day, t.id`;

/** The columns of the order, and the id for looking up a row. */
const placeColumns = sql`t.id, t.due_date, t.due_time, t.time_of_day`;

export const newestDone = sql`order by t.completed_on desc, t.completed_at desc, t.id desc`;

/**
 * The status is a constant, not a parameter, because only then PostgreSQL knows that an index holds the todos in
 * order.
 */
export const isPending: Condition = sql`not t.is_completed`;
export const isCompleted: Condition = sql`t.is_completed`;

/** The todos that a list shows. Its cost must not grow with a user's whole history. */
export type Selection = Readonly<{
  /** Each range lies in an index in order; PostgreSQL merges them. */
  ranges: readonly Condition[];
  /** A condition that no index range expresses. It uses indexed columns only, so that no row is read in vain. */
  filter?: Condition | undefined;
  /** A condition on the row itself: each row of the ranges is read once, to find and count the matches. */
  search?: Condition | undefined;
}>;

/** The todos of a list without filters. */
export const allPending: Selection = { ranges: [isPending] };

/** An exact total, counted from index entries unless there is a search. */
export function countTodos(selection: Selection) {
  const counts = conditionsOf(selection).map(
    (where) => sql`(select count(*) from ${own("todos")} t where ${where})`,
  );
  return sql<{ total: number }>`select ${join(counts, " + ")} as total`;
}

/** A part of a selection: one page, or the rest after a todo. */
type Part = Pick<Extent, "limit" | "offset"> & Readonly<{ after?: TodoPlace | undefined }>;

/** A subquery of todos, and beside it an expression for the number of all. */
export type ListedTodos = Readonly<{ todos: Condition; total: Condition }>;

/**
 * A part of a selection. The beginning of a range is read directly. Any other part is found in the index first, and
 * only its own rows are read.
 */
export function todosInOrder(selection: Selection, part: Part): ListedTodos {
  if (selection.search) return todosFound(selection, part);
  const { after, ...extent } = part;
  const ranges = after
    ? selection.ranges.flatMap((range) => rangesAfter(after).map((later) => allOf(range, later)))
    : selection.ranges;
  const wanted = { ...selection, ranges };
  const total = countTodos(selection);
  if (!extent.offset && !selection.filter)
    return { todos: merged(wanted, extent, sql`t.*`), total: sql`(${total})` };
  const keys = merged(wanted, extent, placeColumns);
  return { todos: rowsAt(keys, sql`t.*`), total: sql`(${total})` };
}

type DonePart = Extent & Readonly<{ after?: DonePlace | undefined }>;

/** Completed todos, newest first. An index has their days, so a page reads only its own rows and those before it. */
export function todosDone(selection: Selection, { after, ...extent }: DonePart): ListedTodos {
  const where = allOf(sql`t.completed_on is not null`, anyOf(conditionsOf(selection)));
  const older = after ? [isOlder(after)] : [];
  const page = (columns: Condition, from: Condition, conditions: Condition) =>
    sql`(select ${columns} from ${from} t where ${conditions} ${newestDone} ${limitClause(extent)})`;
  const all = own("todos");
  if (!selection.search)
    return {
      todos: page(sql`t.*`, all, allOf(where, ...older)),
      total: sql`(${countTodos(selection)})`,
    };
  const found = sql`(select t.*, count(*) over () as found from ${all} t where ${where})`;
  return { todos: page(sql`t.*`, found, allOf(...older)), total: sql`t.found` };
}

const isOlder = ({
  completed_on,
  completed_at,
  id,
}: DonePlace): Condition => sql`(t.completed_on, t.completed_at, t.id)
  < (${completed_on}::date, ${completed_at}::timestamptz, ${id}::bigint)`;

/** One pass finds and counts; counted apart, all rows would be searched twice. */
function todosFound(selection: Selection, { after, ...extent }: Part): ListedTodos {
  const found = sql`(select ${placeColumns}, count(*) over () as found
    from ${own("todos")} t where ${anyOf(conditionsOf(selection))})`;
  const wanted = after ? anyOf(rangesAfter(after)) : sql`true`;
  const keys = sql`(select * from ${found} t where ${wanted} ${inOrder} ${limitClause(extent)})`;
  return { todos: rowsAt(keys, sql`t.*, place.found`), total: sql`t.found` };
}

/** Whole rows by their keys. */
const rowsAt = (keys: Condition, columns: Sql): Condition =>
  sql`(select ${columns} from ${keys} place
    cross join lateral (select * from ${own("todos")} t where t.id = place.id offset 0) t)`;

/** Orders that people choose. No index has them, so all todos of the selection are read, as a search reads them. */
export const todoOrders = {
  important: sql`order by not t.is_important, t.due_date, t.due_time, t.time_of_day, t.id`,
  title: sql`order by lower(t.title), t.id`,
  newest: sql`order by t.id desc`,
} as const;

/** A page of a selection in another order than the default one. */
export function todosSorted(selection: Selection, order: Condition, extent: Extent): ListedTodos {
  const keys = sql`(select t.id, count(*) over () as found from ${own("todos")} t
    where ${anyOf(conditionsOf(selection))} ${order} ${limitClause(extent)})`;
  return { todos: rowsAt(keys, sql`t.*, place.found`), total: sql`t.found` };
}

/** Each range gives enough rows for the page, in order. */
function merged(selection: Selection, extent: Extent, columns: Sql): Condition {
  const partOf = (where: Condition, part: Extent) =>
    sql`(select ${columns} from ${own("todos")} t where ${where} ${inOrder} ${limitClause(part)})`;
  const [only, ...others] = conditionsOf(selection);
  if (only && others.length === 0) return partOf(only, extent);
  const { limit = 0, offset = 0 } = extent;
  const parts = conditionsOf(selection).map((where) => partOf(where, { limit: limit + offset }));
  return sql`(select * from (${join(parts, " union all ")}) t ${inOrder} ${limitClause(extent)})`;
}

/** Each finds its part of a selection. */
export function conditionsOf({ ranges, filter, search }: Selection): readonly Condition[] {
  const further = [filter, search].filter((condition) => condition !== undefined);
  return further.length > 0 ? ranges.map((range) => allOf(range, ...further)) : ranges;
}

/** The ranges of all todos after a place. */
function rangesAfter({ id, due_date, due_time, time_of_day }: TodoPlace): Condition[] {
  const date = valuesFrom(sql`t.due_date`, due_date, sql`date`);
  const dueTime = valuesFrom(sql`t.due_time`, due_time, sql`text`);
  const time = valuesFrom(sql`t.time_of_day`, time_of_day, sql`time_of_day`);
  return [
    allOf(date.same, dueTime.same, time.same, sql`t.id > ${id}::bigint`),
    ...time.later.map((later) => allOf(date.same, dueTime.same, later)),
    ...dueTime.later.map((later) => allOf(date.same, later)),
    ...date.later,
  ];
}

/** Nulls come last, and no index range continues into them. */
const valuesFrom = (column: Sql, value: string | null, type: Sql) =>
  value === null
    ? { same: sql`${column} is null`, later: [] }
    : {
        same: sql`${column} = ${value}::${type}`,
        later: [sql`${column} > ${value}::${type}`, sql`${column} is null`],
      };

type ListInput = Omit<InputOf<Queries["todo.list"]>, "page" | "category_id">;

/** The filters of a list of todos at either door. All of them apply together. */
type Filters = Readonly<{ [Name in keyof ListInput]?: ListInput[Name] | undefined }> &
  Readonly<{
    overdue_only?: boolean | undefined;
    done_through?: string | undefined;
    /** Ids of categories; a todo matches if it has one of them. */
    categories?: readonly number[] | undefined;
  }>;

const ofStatus = {
  incomplete: [isPending],
  completed: [isCompleted],
  all: [isPending, isCompleted],
} satisfies Record<string, Condition[]>;

/** The part of a user's todos that the filters leave. */
export async function selectTodos(query: QueryContext, filters: Filters): Promise<Selection> {
  const { q, context, has_reminder } = filters;
  const due = await dueCondition(query, filters);
  const ranges = rangesOf(filters);
  const further: Condition[] = has_reminder === undefined ? [] : [isToRing(has_reminder)];
  if (q !== undefined) {
    const search = hasText([sql`t.title`, sql`t.context`, sql`t.description`], q);
    return { ranges, search: allOf(otherwise(due, filters), ...further, search) };
  }
  const conditions: Condition[] = [];
  if (due) conditions.push(due);
  if (context !== undefined) conditions.push(inContext(context));
  return {
    ranges: ranges.map((range) => allOf(range, ...conditions, ...further)),
    filter: inTimeAndCategory(filters),
  };
}

function rangesOf(filters: Filters): readonly Condition[] {
  const { status = "incomplete", done_since, done_through } = filters;
  // Days of completion are in an index of their own.
  if ((done_since ?? done_through) !== undefined)
    return [
      sql`t.completed_on >= ${done_since ?? always.from}::date and t.completed_on <= ${done_through ?? always.to}::date`,
    ];
  return asksForOverdue(filters) ? onlyPending(ofStatus[status]) : ofStatus[status];
}

/** A user has few reminders to come beside thousands of todos. */
const isToRing = (wanted: boolean): Condition =>
  sql`(t.id in (select r.todo_id from ${own("reminders")} r where r.status = 'scheduled')) = ${wanted}::boolean`;

const asksForOverdue = ({ due, overdue_only }: Filters): boolean =>
  due === "overdue" || overdue_only === true;

function onlyPending(ranges: readonly Condition[]): readonly Condition[] {
  return ranges.includes(isPending) ? [isPending] : [sql`false`];
}

/** @returns undefined when todos without a date are wanted, too */
async function dueCondition(query: QueryContext, filters: Filters): Promise<Condition | undefined> {
  const { due, due_from, due_to } = filters;
  if (due === "none") return sql`t.due_date is null`;
  const isBounded = due_from !== undefined || due_to !== undefined;
  if (due === undefined && !asksForOverdue(filters))
    return isBounded ? isDueWithin(periodOf([due_from], [due_to])) : undefined;
  const { today } = await readDaySettings(query);
  const from = due === "upcoming" ? addDays(today.date, 1) : due === "today" ? today.date : undefined;
  const to = due === "today" ? today.date : undefined;
  const period = periodOf([due_from, from], [due_to, to]);
  return asksForOverdue(filters) ? isOverdueWithin(period, today) : isDueWithin(period);
}

/** The due dates that all filters allow. */
function periodOf(from: readonly (string | undefined)[], to: readonly (string | undefined)[]): DuePeriod {
  const inOrderOfDays = (dates: typeof from) => dates.filter((date) => date !== undefined).toSorted();
  return { from: inOrderOfDays(from).at(-1) ?? always.from, to: inOrderOfDays(to)[0] ?? always.to };
}

/** Contexts are equal regardless of case and a leading @; an index of its own serves this. */
const inContext = (context: string): Condition =>
  sql`lower(ltrim(t.context, '@')) = lower(ltrim(${context}::text, '@'))`;

/**
 * One statement serves one filter and both. With "or", the planner would not use the index: it would jump from day
 * to day, or sort all todos of a category. Todos may still name a category that was just deleted.
 */
function inTimeAndCategory({ time_of_day, categories }: Filters): Condition | undefined {
  if (time_of_day === undefined && categories === undefined) return undefined;
  const time = time_of_day ?? null;
  // A list becomes text, because reads with arrays cannot be coalesced.
  const ids = categories === undefined ? null : `{${categories.join(",")}}`;
  return sql`(
    (${time}::time_of_day is null or t.time_of_day = ${time}::time_of_day)
    and (${ids}::bigint[] is null or t.category_id = any(${ids}::bigint[])
      and exists (select from ${own("categories")} c where c.id = any(${ids}::bigint[])))
  )`;
}

/** All other filters in one condition, for a search, which reads each row anyway. */
function otherwise(due: Condition | undefined, { context, ...filters }: Filters): Condition {
  const label = context ?? null;
  return sql`(${due === undefined}::boolean or ${due ?? isDueWithin(always)})
    and (${label}::text is null or lower(ltrim(t.context, '@')) = lower(ltrim(${label}::text, '@')))
    and ${inTimeAndCategory(filters) ?? sql`true`}`;
}

/** The first and the last due date; `-infinity` and `infinity` mean no end. */
type DuePeriod = Readonly<{ from: string; to: string }>;

export const always: DuePeriod = { from: "-infinity", to: "infinity" };

type Clock = Pick<Viewer, "date" | "lastMinute">;

/**
 * Matches due dates of a period: a range of an index and a filter on its columns. Every list has this one condition, so
 * that there are few statements to prepare.
 */
const isDueWithin = (period: DuePeriod): Condition =>
  dueWithin(period, { date: "infinity", lastMinute: "infinityT" }, true);

/** Matches pending todos due in a period that are overdue. The rule is that of `shared/domain/reach.ts`. */
export const isOverdueWithin = ({ from, to }: DuePeriod, clock: Clock): Condition => {
  const [day = ""] = clock.lastMinute.split("T");
  return dueWithin({ from, to: to < day ? to : day }, clock, true);
};

/** Matches pending todos due in a period that are not overdue. */
export const isAheadWithin = (period: DuePeriod, clock: Clock): Condition => dueWithin(period, clock, false);

function dueWithin({ from, to }: DuePeriod, { date, lastMinute }: Clock, isOverdue: boolean): Condition {
  const [day = "", time = ""] = lastMinute.split("T");
  return sql`t.due_date >= ${from}::date and t.due_date <= ${to}::date and (t.due_date < ${date}::date
    or (t.due_time is not null and (t.due_date, t.due_time) <= (${day}::date, ${time}::text))) = ${isOverdue}::boolean`;
}
