import type { Viewer } from "../reach.ts";

type Due = Readonly<{ is_completed: boolean; due_date: string | null; due_time: string | null }>;
type Clock = Pick<Viewer, "date" | "lastMinute">;

/**
 * A todo with a due time is overdue from that minute on, another one from the user's next day on.
 * `api/queries/todo/overdue.ts` has the same rule in SQL.
 */
export function isOverdue({ is_completed, due_date, due_time }: Due, clock: Clock): boolean {
  if (is_completed || due_date === null) return false;
  return due_time === null ? due_date < clock.date : `${due_date}T${due_time}` <= clock.lastMinute;
}
