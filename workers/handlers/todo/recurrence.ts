import type { TodoRow } from "../../../shared/db/entities.ts";
import { firstOccurrence } from "../../../shared/domain/todo/recurrence.ts";
import { parseRule } from "../../../shared/domain/todo/recurrence-rule.ts";
import type { HandlerContext } from "../handler.ts";

/**
 * A recurring todo without a due date gets the first occurrence from today on. Another due date moves this todo and
 * not its series. Another rule, or a cleared due date, begins a new series.
 * @returns the rule, the due date and the anchor of the series
 */
export function recurrenceColumns(
  { today }: HandlerContext,
  text: string | null,
  dueDate: string | null,
  row?: TodoRow,
) {
  // The front door has already checked that the rule matches some date, which is costly.
  const parsed = text === null ? undefined : parseRule(text);
  if (!parsed || "error" in parsed) return { recurrence: null, recurrence_anchor: null, due_date: dueDate };
  const due_date = dueDate ?? firstOccurrence(parsed.rule, today.date);
  const anchor = dueDate !== null && row?.recurrence === parsed.rule ? row.recurrence_anchor : null;
  return { recurrence: parsed.rule, recurrence_anchor: anchor ?? due_date, due_date };
}
