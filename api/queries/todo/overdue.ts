import { sql } from "../../../shared/db/reads/sql.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import type { Condition } from "../engine/context.ts";

/** The first and the last due date; `-infinity` and `infinity` mean no end. */
export type DuePeriod = Readonly<{ from: string; to: string }>;

export const always: DuePeriod = { from: "-infinity", to: "infinity" };

type Clock = Pick<Viewer, "date" | "lastMinute">;

/**
 * Matches due dates of a period: a range of an index and a filter on its columns. Every list has this one condition, so
 * that there are few statements to prepare.
 */
export const isDueWithin = (period: DuePeriod): Condition =>
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
