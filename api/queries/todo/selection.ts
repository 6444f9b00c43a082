import { addDays } from "../../../shared/domain/day/day.ts";
import type { TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { allOf, type Condition, type QueryContext, readDaySettings } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { sql } from "../engine/sql.ts";
import { isCompleted, isPending, type Selection } from "./order.ts";

/** The filters of a list of todos at either door. All of them apply together. */
type Filters = Readonly<{
  status?: "incomplete" | "completed" | "all" | undefined;
  due?: "today" | "overdue" | "upcoming" | undefined;
  overdue_only?: boolean | undefined;
  due_from?: string | undefined;
  due_to?: string | undefined;
  context?: string | undefined;
  time_of_day?: TimeOfDay | undefined;
  /** Ids of categories; a todo matches if it has one of them. */
  categories?: readonly number[] | undefined;
  q?: string | undefined;
}>;

const ofStatus = {
  incomplete: [isPending],
  completed: [isCompleted],
  all: [isPending, isCompleted],
} satisfies Record<string, Condition[]>;

/** The part of a user's todos that the filters leave. */
export async function selectTodos(query: QueryContext, filters: Filters): Promise<Selection> {
  const { status = "incomplete", q } = filters;
  const period = await dueDates(query, filters);
  const ranges = isOverdue(filters) ? onlyPending(ofStatus[status]) : ofStatus[status];
  if (q !== undefined) {
    const search = hasText([sql`t.title`, sql`t.context`, sql`t.description`], q);
    return { ranges, search: allOf(otherwise(query, period, filters), search) };
  }
  const conditions: Condition[] = [];
  if (period) conditions.push(isDueWithin(period));
  if (filters.context !== undefined) conditions.push(inContext(filters.context));
  return {
    ranges: ranges.map((range) => allOf(range, ...conditions)),
    filter: inTimeAndCategory(query, filters),
  };
}

const isOverdue = ({ due, overdue_only }: Filters): boolean => due === "overdue" || overdue_only === true;

function onlyPending(ranges: readonly Condition[]): readonly Condition[] {
  return ranges.includes(isPending) ? [isPending] : [sql`false`];
}

/** The first and the last date that all of `due`, `due_from` and `due_to` allow. */
type Period = Readonly<{ from: string; to: string }>;

/** @returns undefined when todos without a date are wanted, too */
async function dueDates(query: QueryContext, filters: Filters): Promise<Period | undefined> {
  const { due, due_from = "-infinity", due_to = "infinity" } = filters;
  if (due === undefined && !isOverdue(filters))
    return filters.due_from || filters.due_to ? { from: due_from, to: due_to } : undefined;
  const { date } = (await readDaySettings(query)).today;
  const from = [due_from];
  const to = [due_to];
  if (isOverdue(filters)) to.push(addDays(date, -1));
  if (due === "upcoming") from.push(addDays(date, 1));
  if (due === "today") {
    from.push(date);
    to.push(date);
  }
  // In text order, "-infinity" comes before all dates and "infinity" after them.
  return { from: from.toSorted().at(-1) ?? due_from, to: to.toSorted().at(0) ?? due_to };
}

/** Always with both ends, so that there are few statements to prepare. */
const isDueWithin = ({ from, to }: Period): Condition =>
  sql`t.due_date >= ${from}::date and t.due_date <= ${to}::date`;

/** Equal up to case and an @ in front, by an index of its own. */
const inContext = (context: string): Condition =>
  sql`lower(ltrim(t.context, '@')) = lower(ltrim(${context}::text, '@'))`;

/**
 * One statement for either and for both. Within "or", no index is looked up: the planner would leap through one from
 * day to day, or sort all todos of a category, and take that for cheaper than a scan in order. Todos may still name a
 * category that was just deleted.
 */
function inTimeAndCategory(
  { own }: QueryContext,
  { time_of_day, categories }: Filters,
): Condition | undefined {
  if (time_of_day === undefined && categories === undefined) return undefined;
  const time = time_of_day ?? null;
  // Text, because reads whose values are lists cannot be batched.
  const ids = categories === undefined ? null : `{${categories.join(",")}}`;
  return sql`(
    (${time}::time_of_day is null or t.time_of_day = ${time}::time_of_day)
    and (${ids}::bigint[] is null or t.category_id = any(${ids}::bigint[])
      and exists (select from ${own("categories")} c where c.id = any(${ids}::bigint[])))
  )`;
}

/** All other filters as one condition, for a search, which looks at each row anyway. */
function otherwise(
  query: QueryContext,
  period: Period | undefined,
  { context, ...filters }: Filters,
): Condition {
  const [from, to, label] = [period?.from ?? null, period?.to ?? null, context ?? null];
  return sql`(${from}::date is null or t.due_date between ${from}::date and ${to}::date)
    and (${label}::text is null or lower(ltrim(t.context, '@')) = lower(ltrim(${label}::text, '@')))
    and ${inTimeAndCategory(query, filters) ?? sql`true`}`;
}
