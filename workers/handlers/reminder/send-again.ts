import { alreadySo, notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { checkIncomplete } from "../todo/reminder.ts";
import { lockTodo } from "../todo/rows.ts";
import { newDelivery } from "./new-delivery.ts";

/**
 * Gives a failed reminder another delivery. It names the failed one, which the reminder then names no more: a second
 * request for the same, or one from an old page, sends nothing.
 */
export const reminderSendAgain: Handler<"reminder.send-again"> = {
  rows: lockTodo,
  run({ todos, reminders, deliveries, acceptedAt, now }, { todo_id, delivery_id }) {
    const todo = todos.get(todo_id);
    const reminder = reminders.get(todo_id);
    if (!todo || !reminder) return notFound("Reminder");
    const refused = checkIncomplete(todo);
    if (refused) return refused;
    if (reminder.status !== "failed" || reminder.delivery_id !== delivery_id)
      return alreadySo("This reminder was sent again already, or has another time by now.");
    const { remind_at: scheduled_at } = reminder;
    const { id } = deliveries.insert(
      newDelivery({ acceptedAt, now }, { todo_id, channel: null, scheduled_at }),
    );
    reminders.update(reminder, { status: "scheduled", delivery_id: id, updated_at: now });
    return { delivery_id: id };
  },
};
