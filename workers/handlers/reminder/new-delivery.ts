import type { ReminderDeliveryRow } from "../../../shared/db/entities.ts";
import type { HandlerContext } from "../handler.ts";

type What = Pick<ReminderDeliveryRow, "todo_id" | "habit_id" | "channel" | "scheduled_at">;

/** A delivery on request. A tick finds it within a second or two, like that of a due reminder. */
export function newDelivery(
  { acceptedAt, now }: Pick<HandlerContext, "acceptedAt" | "now">,
  what: What,
): Omit<ReminderDeliveryRow, "user_id"> {
  const at = new Date(acceptedAt).toISOString();
  return {
    ...what,
    id: Bun.randomUUIDv7("hex", acceptedAt),
    about: null,
    said: null,
    status: "queued",
    attempts: 0,
    late: false,
    error: null,
    used_acts: "",
    asked_at: at,
    next_attempt_at: at,
    created_at: now,
    finished_at: null,
  };
}
