import { addDays } from "../../../shared/domain/day/day.ts";
import { firstOfWeek } from "../habit/week-progress.ts";

/** Groups in the order of their due dates; each todo is in exactly one. */
export const dueGroups = ["overdue", "today", "tomorrow", "week", "later", "undated"] as const;
export type DueGroup = (typeof dueGroups)[number];

/** The first and the last due date of a group. It is empty when the last one comes before the first. */
type DueDates = Readonly<{ from: string; to: string }>;

/**
 * The due dates of a group; `-infinity` and `infinity` mean no end, undefined means todos without a date. The week
 * group starts after tomorrow and ends with the week, whose first day is `firstWeekday` (1 is Monday).
 */
export function dueDatesOf(group: DueGroup, today: string, firstWeekday: number): DueDates | undefined {
  const tomorrow = addDays(today, 1);
  const end = addDays(firstOfWeek(today, firstWeekday), 6);
  const lastOfWeek = end < tomorrow ? tomorrow : end;
  if (group === "overdue") return { from: "-infinity", to: addDays(today, -1) };
  if (group === "today") return { from: today, to: today };
  if (group === "tomorrow") return { from: tomorrow, to: tomorrow };
  if (group === "week") return { from: addDays(tomorrow, 1), to: lastOfWeek };
  if (group === "later") return { from: addDays(lastOfWeek, 1), to: "infinity" };
  return undefined;
}

/** The group of a pending todo. One with a due time is overdue before its day is over. */
export function dueGroupOf(
  { due_date, is_overdue }: Readonly<{ due_date: string | null; is_overdue: boolean }>,
  today: string,
  firstWeekday: number,
): DueGroup {
  if (is_overdue) return "overdue";
  const holds = (group: DueGroup): boolean => {
    const dates = dueDatesOf(group, today, firstWeekday);
    if (!dates || due_date === null) return !dates && due_date === null;
    // In text order, "-infinity" comes before all dates and "infinity" after them.
    return dates.from <= due_date && due_date <= dates.to;
  };
  return dueGroups.find(holds) ?? "undated";
}
