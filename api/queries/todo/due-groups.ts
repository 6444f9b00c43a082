import { addDays } from "../../../shared/domain/day/day.ts";
import { weekOf } from "../habit/week-progress.ts";

/** In the order of the due dates that they hold; each date is in one of them. */
export const dueGroups = ["overdue", "today", "tomorrow", "week", "later", "undated"] as const;
export type DueGroup = (typeof dueGroups)[number];

/** The first and the last due date of a group. It is empty when the last one comes before the first. */
type DueDates = Readonly<{ from: string; to: string }>;

/**
 * The due dates of a group; `-infinity` and `infinity` mean no end, undefined means todos without a date. The week
 * group starts after tomorrow and ends on Sunday.
 */
export function dueDatesOf(group: DueGroup, today: string): DueDates | undefined {
  const tomorrow = addDays(today, 1);
  const { sunday } = weekOf(today);
  const lastOfWeek = sunday < tomorrow ? tomorrow : sunday;
  if (group === "overdue") return { from: "-infinity", to: addDays(today, -1) };
  if (group === "today") return { from: today, to: today };
  if (group === "tomorrow") return { from: tomorrow, to: tomorrow };
  if (group === "week") return { from: addDays(tomorrow, 1), to: lastOfWeek };
  if (group === "later") return { from: addDays(lastOfWeek, 1), to: "infinity" };
  return undefined;
}

/** The group of a pending todo. */
export function dueGroupOf(dueDate: string | null, today: string): DueGroup {
  const holds = (group: DueGroup): boolean => {
    const dates = dueDatesOf(group, today);
    if (!dates || dueDate === null) return !dates && dueDate === null;
    // In text order, "-infinity" comes before all dates and "infinity" after them.
    return dates.from <= dueDate && dueDate <= dates.to;
  };
  return dueGroups.find(holds) ?? "undated";
}
