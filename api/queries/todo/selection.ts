import { own } from "../../../shared/db/reads/own.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { TimeOfDay } from "../../../shared/domain/vocabulary.ts";
import { allOf, type Condition, type QueryContext, readDaySettings } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { isCompleted, isPending, type Selection } from "./order.ts";
import { always, type DuePeriod, isDueWithin, isOverdueWithin } from "./overdue.ts";

/** The filters of a list of todos at either door. All of them apply together. */
type Filters = Readonly<{
  status?: "incomplete" | "completed" | "all" | undefined;
  due?: "today" | "overdue" | "upcoming" | "none" | undefined;
  overdue_only?: boolean | undefined;
  due_from?: string | undefined;
  due_to?: string | undefined;
  /** The first of the user's days on which a todo may have been done. */
  done_since?: string | undefined;
  has_reminder?: boolean | undefined;
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
  const { status = "incomplete", done_since } = filters;
  // Days of completion are in an index of their own.
  if (done_since !== undefined) return [sql`t.completed_on >= ${done_since}::date`];
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

/**
 * The due dates that all filters allow. In text order, "-infinity" comes before all dates and "infinity" after
 * them.
 */
const periodOf = (from: readonly (string | undefined)[], to: readonly (string | undefined)[]): DuePeriod => ({
  from:
    from
      .map((date = "-infinity") => date)
      .toSorted()
      .at(-1) ?? "-infinity",
  to:
    to
      .map((date = "infinity") => date)
      .toSorted()
      .at(0) ?? "infinity",
});

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
