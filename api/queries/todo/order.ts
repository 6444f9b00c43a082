import {
  type AliasableExpression,
  type Expression,
  expressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
} from "kysely";
import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { todoTags } from "../../../shared/contracts/todo/fields.ts";
import { parseDoneCursor, parseTodoCursor } from "../../../shared/contracts/todo/filters.ts";
import {
  namesGiven,
  own,
  parameters,
  type RowOf,
  type SomeValuesOf,
  selectFrom,
} from "../../../shared/db/reads/statement.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { countOf, type Extent, firstRows } from "../engine/pagination.ts";
import { hasText, patternsOf } from "../engine/search.ts";

type Tag = keyof typeof todoTags;
/** A value for each tag. */
const perTag = <Value>(make: (name: Tag) => Value) =>
  Object.fromEntries(namesGiven(todoTags).map((name) => [name, make(name)])) as Record<Tag, Value>;

/** The values of lists of todos. */
export const todoValues = {
  ...perTag(() => "text" as const),
  ...({ todo_id: "bigint", ids: "bigint[]", has_reminder: "boolean", q: "text[]" } as const),
  ...({ due_from: "date", due_to: "date", is_overdue: "boolean" } as const),
  ...({
    done_since: "date",
    done_through: "date",
    day: "date",
    last_day: "date",
    last_time: "text",
  } as const),
  ...({ time_of_day: "time_of_day", categories: "bigint[]", offset: "bigint" } as const),
  ...({ after_id: "bigint", after_due_date: "date", after_due_time: "text" } as const),
  ...({ after_time_of_day: "time_of_day" } as const),
  ...({ after_completed_on: "date", after_completed_at: "timestamptz" } as const),
};
type TodoValues = SomeValuesOf<typeof todoValues>;
const value = parameters(todoValues);

export const todo = expressionBuilder<{ t: RowOf<"todos"> }, "t">();
const { ref, and, or, exists } = todo;
const todos = selectFrom(own("todos").as("t"));

/**
 * The default order of todos. It is total: by due date with undated ones last, then by due time (none last), then by
 * time of day (the enum's order, none last), then by id. These columns are also all that finds a row and its place.
 */
export const byDueDate = sql`${ref("t.due_date")}, ${ref("t.due_time")}, ${ref("t.time_of_day")}, ${ref("t.id")}`;

const newestDone = sql`${ref("t.completed_on")} desc, ${ref("t.completed_at")} desc, ${ref("t.id")} desc`;

/** Orders of lists. The last three are in no index, so all todos of the selection are read, as a search reads them. */
export const todoOrders = {
  due: byDueDate,
  done: newestDone,
  important: sql`not ${ref("t.is_important")}, ${byDueDate}`,
  title: sql`lower(${ref("t.title")}), ${ref("t.id")}`,
  newest: sql`${ref("t.id")} desc`,
} as const;
export const todoSorts = ["important", "title", "newest"] as const;

type Condition = Expression<SqlBool>;

/**
 * The status is a constant, not a parameter, because only then PostgreSQL knows that an index holds the todos in
 * order.
 */
export const isPending: Condition = sql`not ${ref("t.is_completed")}`;
export const isCompleted: Condition = sql`${ref("t.is_completed")}`;

/** The conditions of a list of todos. All of them apply together, and its cost must not grow with a user's whole history. */
type TodoConditions = Readonly<{
  status: keyof typeof rangesOf;
  further: readonly (keyof typeof conditionOf)[];
}>;

/** The todos that a list shows. */
export type Selection = Readonly<{ wanted: TodoConditions; values: TodoValues; order: "due" | "done" }>;

export const allPending: Selection = {
  wanted: { status: "incomplete", further: [] },
  values: {},
  order: "due",
};

/** Each range lies in an index in order; PostgreSQL merges them. */
const rangesOf = {
  incomplete: [isPending],
  completed: [isCompleted],
  all: [isPending, isCompleted],
  /** Days of completion are in an index of their own. */
  doneWithin: [
    and([
      todo("t.completed_on", ">=", value("done_since")),
      todo("t.completed_on", "<=", value("done_through")),
    ]),
  ],
  none: [sql<boolean>`false`],
};

export const isUndated = todo("t.due_date", "is", null);

/** Contexts are equal regardless of case and a leading @; an index of its own serves this. */
const isInContext: Condition = sql`lower(ltrim(${ref("t.context")}, '@')) = lower(ltrim(${value("context")}, '@'))`;

/** A user has few reminders to come beside thousands of todos. */
const isToRing: Condition = sql`(${ref("t.id")} in ${selectFrom(own("reminders").as("r"))
  .select("r.todo_id")
  .where("r.status", "=", sql.lit("scheduled"))}) = ${value("has_reminder")}`;

/**
 * One statement serves one filter and both. With "or", the planner would not use the index: it would jump from day
 * to day, or sort all todos of a category. Todos may still name a category that was just deleted.
 */
const isInTimeAndCategory: Condition = sql`(
  (${value("time_of_day")} is null or ${ref("t.time_of_day")} = ${value("time_of_day")})
  and (${value("categories")} is null or ${ref("t.category_id")} = any(${value("categories")})
    and ${exists(
      selectFrom(own("categories").as("c"))
        .select("c.id")
        .where((eb) => eb("c.id", "=", eb.fn.any(value("categories")))),
    )})
)`;

type Due = Readonly<{ from: Expression<string>; to: Expression<string>; isOverdue: Expression<boolean> }>;

/** Matches due dates of a period that are overdue or not: a range of an index and a filter on its columns. */
export const dueWithin = ({ from, to, isOverdue }: Due): Condition => sql`${ref("t.due_date")} >= ${from}
  and ${ref("t.due_date")} <= ${to} and (${ref("t.due_date")} < ${value("day")}
    or (${ref("t.due_time")} is not null and (${ref("t.due_date")}, ${ref("t.due_time")})
      <= (${value("last_day")}, ${value("last_time")}))) = ${isOverdue}`;

const isDueWithin = dueWithin({
  from: value("due_from"),
  to: value("due_to"),
  isOverdue: value("is_overdue"),
});

const conditionOf = {
  ...perTag((name): Condition => sql`${ref(`t.${name}`)}::text = ${value(name)}`),
  undated: isUndated,
  due: isDueWithin,
  context: isInContext,
  reminder: isToRing,
  /** No index range expresses it. It uses indexed columns only, so that no row is read in vain. */
  filter: isInTimeAndCategory,
  /** Each row of the ranges is read once, to find and count the matches. */
  search: hasText([ref("t.title"), ref("t.context"), ref("t.description")], value("q")),
};

export const conditionsOf = ({ status, further }: TodoConditions): readonly Condition[] =>
  rangesOf[status].map((range) => and([range, ...further.map((name) => conditionOf[name])]));

/** An exact total, counted from index entries unless there is a search. */
const countOfTodos = (wanted: TodoConditions): Expression<number> =>
  sql`${sql.join(
    conditionsOf(wanted).map((where) => todos.select(countOf.as("count")).where(where)),
    sql` + `,
  )}`;

/** A subquery of todos, and beside it an expression for the number of all. */
export type ListedTodos = Readonly<{ todos: AliasableExpression<RowOf<"todos">>; total: Expression<number> }>;

/** A part of a list: its order, and one page, or the rest after a todo. */
export type TodoPart = Extent &
  Readonly<{ wanted: TodoConditions; order: keyof typeof todoOrders; after?: AfterTodo | undefined }>;

/** The columns of a cursor that are not null. */
type AfterTodo = Readonly<{ hasDate?: boolean; hasDueTime?: boolean; hasTime?: boolean }>;

/**
 * A part of a selection. The beginning of a range is read directly. Any other part is found first, and only its own rows
 * are read: in the index where that has the order, else in one pass that finds and counts.
 */
export function listedTodos({ wanted, order, after, ...extent }: TodoPart): ListedTodos {
  const isDone = order === "done";
  const has = (name: keyof typeof conditionOf) => wanted.further.includes(name);
  const all = conditionsOf(wanted);
  // An index has the days of completion, so a page reads only its own rows and those before it.
  const ranges = isDone ? [and([todo("t.completed_on", "is not", null), or(all)])] : all;
  const later = isDone ? [isOlder] : rangesAfter(after ?? {});
  const isInIndex = isDone || order === "due";
  if (has("search") || !isInIndex) return todosFound(or(ranges), order, extent, after && or(later));
  const parts = after ? ranges.flatMap((range) => later.map((one) => and([range, one]))) : ranges;
  const rows = (columns: Columns) => merged(parts, extent, columns, todoOrders[order]);
  const isDirect = isDone || !(extent.isLater || has("filter"));
  return { todos: isDirect ? rows(sql`t.*`) : rowsAt(rows(byDueDate)), total: countOfTodos(wanted) };
}

const isOlder: Condition = sql`(${ref("t.completed_on")}, ${ref("t.completed_at")}, ${ref("t.id")})
  < (${value("after_completed_on")}, ${value("after_completed_at")}, ${value("after_id")})`;

type Todo = RowOf<"todos">;
type Columns = RawBuilder<unknown>;

/** Counted apart, all rows would be searched twice. */
function todosFound(
  where: Condition,
  order: TodoPart["order"],
  extent: Extent,
  later: Condition = sql`true`,
): ListedTodos {
  const all = sql`(select t.*, count(*) over () as found from ${own("todos")} t where ${where})`;
  const keys = sql`(select ${ref("t.id")}, t.found from ${all} t
    where ${later} order by ${todoOrders[order]} ${firstRows(extent, value)})`;
  return { todos: rowsAt(keys, sql`t.*, place.found`), total: sql.ref("t.found") };
}

const rowsAt = (keys: Expression<unknown>, columns: Columns = sql`t.*`): RawBuilder<Todo> =>
  sql`(select ${columns} from ${keys} place
    cross join lateral (select * from ${own("todos")} t where ${ref("t.id")} = place.id offset 0) t)`;

/** Each range gives enough rows for the page, in order. */
function merged(
  ranges: readonly Condition[],
  extent: Extent,
  columns: Columns,
  order: Expression<unknown> = byDueDate,
): RawBuilder<Todo> {
  const partOf = (where: Condition, end: Expression<unknown>) =>
    sql<Todo>`(select ${columns} from ${own("todos")} t where ${where} order by ${order} ${end})`;
  const end = firstRows(extent, value);
  const [only, ...others] = ranges;
  if (only && others.length === 0) return partOf(only, end);
  const room = extent.isLater ? sql`limit ${sql.lit(extent.limit ?? 0)} + ${value("offset")}` : end;
  const parts = ranges.map((where) => partOf(where, room));
  return sql`(select * from (${sql.join(parts, sql` union all `)}) t order by ${order} ${end})`;
}

/** The first todos in the default order that meet a condition of an index range. */
export const firstTodos = (where: Condition, limit: number): RawBuilder<Todo> =>
  merged([where], { limit }, sql`t.*`);

/** The ranges of all todos after a place. */
function rangesAfter({ hasDate, hasDueTime, hasTime }: AfterTodo): Condition[] {
  const date = valuesFrom(ref("t.due_date"), hasDate, value("after_due_date"));
  const dueTime = valuesFrom(ref("t.due_time"), hasDueTime, value("after_due_time"));
  const time = valuesFrom(ref("t.time_of_day"), hasTime, value("after_time_of_day"));
  return [
    and([date.same, dueTime.same, time.same, todo("t.id", ">", value("after_id"))]),
    ...time.later.map((later) => and([date.same, dueTime.same, later])),
    ...dueTime.later.map((later) => and([date.same, later])),
    ...date.later,
  ];
}

/** Nulls come last, and no index range continues into them. */
function valuesFrom(column: Expression<unknown>, hasValue: boolean | undefined, from: Expression<unknown>) {
  const isNull: Condition = sql`${column} is null`;
  const same: Condition = sql`${column} = ${from}`;
  const later: Condition = sql`${column} > ${from}`;
  return hasValue ? { same, later: [later, isNull] } : { same: isNull, later: [] };
}

/** The shape and the values of the rest after a cursor of a list in the default order. @returns undefined for another cursor */
export function afterTodo(cursor: string) {
  const place = parseTodoCursor(cursor);
  if (!place) return undefined;
  const { id: after_id, due_date, due_time, time_of_day } = place;
  return {
    after: { hasDate: due_date !== null, hasDueTime: due_time !== null, hasTime: time_of_day !== null },
    values: { after_id, after_due_date: due_date, after_due_time: due_time, after_time_of_day: time_of_day },
  };
}

/** The same for a list of completed todos. */
export function afterDone(cursor: string) {
  const place = parseDoneCursor(cursor);
  if (!place) return undefined;
  const { id: after_id, completed_on, completed_at } = place;
  return {
    after: {},
    values: { after_id, after_completed_on: completed_on, after_completed_at: completed_at },
  };
}

export type TagFilters = { readonly [Name in Tag]?: ListInput[Name] | undefined };

export type ListInput = Omit<InputOf<Queries["todo.list"]>, "page">;

/** The filters of a list of todos at either door. All of them apply together. */
type Filters = Readonly<{ [Name in Exclude<keyof ListInput, "category_id">]?: ListInput[Name] | undefined }> &
  Readonly<{
    overdue_only?: boolean | undefined;
    done_through?: string | undefined;
    /** Ids of categories; a todo matches if it has one of them. */
    categories?: readonly number[] | undefined;
    /** Instead of the filters on due dates. */
    dueDates?: DueFilter | undefined;
  }>;

/** The part of a user's todos that the filters leave. */
export async function selectTodos(query: QueryContext, filters: Filters): Promise<Selection> {
  const { q, has_reminder, time_of_day, categories } = filters;
  const tags = perTag((name) => filters[name]?.toString());
  const { done_since = always.from, done_through = always.to } = filters;
  const due = await dueOf(query, filters);
  const filter = time_of_day ?? categories;
  const given = { ...due, ...tags, reminder: has_reminder, filter, search: q };
  return {
    wanted: { status: rangesFor(filters), further: namesGiven(given) },
    order: hasDoneDays(filters) ? "done" : "due",
    values: {
      ...{ ...due.due, ...tags, has_reminder, time_of_day, done_since, done_through, q: patternsOf(q) },
      categories: categories && `{${categories.join(",")}}`,
    },
  };
}

function rangesFor(filters: Filters): TodoConditions["status"] {
  const { status = "incomplete" } = filters;
  if (hasDoneDays(filters)) return "doneWithin";
  if (!asksForOverdue(filters)) return status;
  return status === "completed" ? "none" : "incomplete";
}

const hasDoneDays = ({ done_since, done_through }: Filters): boolean =>
  (done_since ?? done_through) !== undefined;

const asksForOverdue = ({ due, overdue_only }: Filters): boolean =>
  due === "overdue" || overdue_only === true;

type DueFilter = Readonly<{ undated?: true; due?: TodoValues }>;

/** @returns none when todos without a date are wanted, too */
async function dueOf(query: QueryContext, filters: Filters): Promise<DueFilter> {
  const { due, due_from, due_to, dueDates } = filters;
  if (dueDates) return dueDates;
  if (due === "none") return { undated: true };
  const isBounded = due_from !== undefined || due_to !== undefined;
  if (due === undefined && !asksForOverdue(filters))
    return isBounded ? isDueIn(periodOf([due_from], [due_to])) : {};
  const { today } = await readDaySettings(query);
  const from = due === "upcoming" ? addDays(today.date, 1) : due === "today" ? today.date : undefined;
  const to = due === "today" ? today.date : undefined;
  const period = periodOf([due_from, from], [due_to, to]);
  return asksForOverdue(filters)
    ? { due: dueValues(overduePart(period, today), today, true) }
    : isDueIn(period);
}

/** The due dates that all filters allow. */
function periodOf(from: readonly (string | undefined)[], to: readonly (string | undefined)[]): DuePeriod {
  const inOrderOfDays = (dates: typeof from) => dates.filter((date) => date !== undefined).toSorted();
  return { from: inOrderOfDays(from).at(-1) ?? always.from, to: inOrderOfDays(to)[0] ?? always.to };
}

/** The first and the last due date; `-infinity` and `infinity` mean no end. */
export type DuePeriod = Readonly<{ from: string; to: string }>;

export const always: DuePeriod = { from: "-infinity", to: "infinity" };

type Clock = Pick<Viewer, "date" | "lastMinute">;

/** The values by which a todo is overdue or not. The rule is that of `shared/domain/reach.ts`. */
export function clockValues({ date, lastMinute }: Clock) {
  const [last_day = "", last_time = ""] = lastMinute.split("T");
  return { day: date, last_day, last_time };
}

/** Todos due in a period. Every list has one condition, so that there are few statements to prepare. */
const isDueIn = (period: DuePeriod): DueFilter => ({
  due: dueValues(period, { date: "infinity", lastMinute: "infinityT" }, true),
});

/** The days of a period on which todos can be overdue. */
export function overduePart({ from, to }: DuePeriod, clock: Clock): DuePeriod {
  const { last_day } = clockValues(clock);
  return { from, to: to < last_day ? to : last_day };
}

/** Todos due in a period that are overdue or not. */
export const dueValues = ({ from, to }: DuePeriod, clock: Clock, is_overdue: boolean): TodoValues => ({
  ...{ due_from: from, due_to: to, is_overdue, ...clockValues(clock) },
});
