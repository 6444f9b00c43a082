import type { OutputOf } from "../../../shared/contracts/catalogue.ts";
import type { sendReminderAgain } from "../../../shared/contracts/reminder/contracts.ts";
import { alreadySo, notFound, type Refused } from "../../../shared/errors.ts";
import { forUpdate, withoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { checkIncomplete } from "../todo/reminder.ts";
import { lockTodo } from "../todo/rows.ts";
import { newDelivery } from "./new-delivery.ts";

type Answer = OutputOf<typeof sendReminderAgain> | Refused;

/**
 * Gives a failed reminder another delivery. The request names the failed delivery, and the reminder then has
 * another one: a second request, or one from an old page, sends nothing.
 */
export const reminderSendAgain: Handler<"reminder.send-again"> = {
  rows: ({ todo_id, habit_id, delivery_id }) => [
    ...(todo_id === undefined ? [] : lockTodo({ todo_id })),
    ...(habit_id === undefined
      ? []
      : [forUpdate("habits", habit_id), ...withoutLock("reminder_deliveries", delivery_id)]),
  ],
  run: (context, { todo_id, habit_id, delivery_id }) =>
    habit_id === undefined
      ? sendOfTodo(context, todo_id ?? 0, delivery_id)
      : sendOfHabit(context, habit_id, delivery_id),
};

const outdated = alreadySo("This reminder was sent again already, or has another time by now.");

function sendOfTodo(context: HandlerContext, todo_id: number, delivery_id: string): Answer {
  const { todos, reminders, deliveries, now } = context;
  const todo = todos.get(todo_id);
  const reminder = reminders.get(todo_id);
  if (!todo || !reminder) return notFound("Reminder");
  const refused = checkIncomplete(todo);
  if (refused) return refused;
  if (reminder.status !== "failed" || reminder.delivery_id !== delivery_id) return outdated;
  const { remind_at: scheduled_at } = reminder;
  const { id } = deliveries.insert(
    newDelivery(context, { todo_id, habit_id: null, channel: null, scheduled_at }),
  );
  reminders.update(reminder, { status: "scheduled", delivery_id: id, updated_at: now });
  return { delivery_id: id };
}

/** A habit names its last delivery until it is done. */
function sendOfHabit(context: HandlerContext, habit_id: number, delivery_id: string): Answer {
  const { habits, deliveries } = context;
  const habit = habits.get(habit_id);
  const failed = deliveries.get(delivery_id);
  if (!habit || !failed) return notFound("Reminder");
  if (failed.status !== "failed" || habit.delivery_id !== delivery_id) return outdated;
  const { scheduled_at } = failed;
  const { id } = deliveries.insert(
    newDelivery(context, { todo_id: null, habit_id, channel: null, scheduled_at }),
  );
  habits.update(habit, { delivery_id: id });
  return { delivery_id: id };
}
