import { invalid, type Refused } from "../../../shared/errors.ts";

const needsDate = {
  reason: "The due_time field needs a due date",
  next: "send due_date as well.",
};

/**
 * Keeps a due time only with a due date.
 * @param dueDate of the todo after the change
 * @returns the column if it changes
 */
export function dueTimeColumn(
  dueDate: string | null,
  given: string | null | undefined,
): { due_time?: null } | Refused {
  if (dueDate !== null) return {};
  return given == null ? { due_time: null } : invalid({ due_time: [needsDate] });
}
