import type { TodoRow } from "../../../shared/db/entities.ts";
import { firstOccurrence } from "../../../shared/domain/todo/recurrence.ts";
import { parseRule } from "../../../shared/domain/todo/recurrence-rule.ts";
import type { HandlerContext } from "../handler.ts";

/**
 * The first occurrence from today on becomes the due date of a todo that has none. Another due date moves one todo
 * and not its series; another rule or a cleared due date begins a new series.
 * @returns the rule, the due date and the anchor of the series
 */
export function recurrenceColumns(
  { today }: HandlerContext,
  text: string | null,
  dueDate: string | null,
  row?: TodoRow,
) {
  // The front door has found out that it matches some date, which is costly.
  const parsed = text === null ? undefined : parseRule(text);
  if (!parsed || "error" in parsed) return { recurrence: null, recurrence_anchor: null, due_date: dueDate };
  const due_date = dueDate ?? firstOccurrence(parsed.rule, today.date);
  const anchor = dueDate !== null && row?.recurrence === parsed.rule ? row.recurrence_anchor : null;
  return { recurrence: parsed.rule, recurrence_anchor: anchor ?? due_date, due_date };
}
