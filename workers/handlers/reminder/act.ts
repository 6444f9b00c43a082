import type { ReminderDeliveryRow, TodoRow } from "../../../shared/db/entities.ts";
import { todoCompleted } from "../../../shared/domain/conflicts.ts";
import { localTime, timestamp, wallTimeOf } from "../../../shared/domain/day/day.ts";
import type { Act } from "../../../shared/domain/reminder/link.ts";
import { notFound } from "../../../shared/errors.ts";
import { forUpdate, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { putReminder } from "../todo/reminder.ts";
import { lockTodo, relatedToTodo, todoAnswer } from "../todo/rows.ts";
import { todoToggle } from "../todo/toggle.ts";
import { actOnce } from "./act-once.ts";
import { snoozedTime } from "./snooze.ts";

/** Carries out a link in a todo's reminder, once. */
export const reminderAct: Handler<"reminder.act"> = {
  stores: "more",
  rows: (input) => [
    ...lockTodo(input),
    forUpdate("reminder_deliveries", input.delivery_id),
    settingsForUpdate,
  ],
  related: relatedToTodo,
  mayMake: "todos",
  run(context, { todo_id, delivery_id, act }) {
    const todo = context.todos.get(todo_id);
    const delivery = context.deliveries.get(delivery_id);
    if (!todo || delivery?.todo_id !== todo_id) return notFound("Todo");
    return actOnce(context, delivery, act, () =>
      act === "done"
        ? todoToggle.run(context, { todo_id, is_completed: true })
        : snooze(context, todo, delivery, act),
    );
  },
};

/** Moves the reminder. That of a recurring todo keeps its wall time for the next todo of the series. */
function snooze(
  context: HandlerContext,
  todo: TodoRow,
  delivery: ReminderDeliveryRow,
  act: Exclude<Act, "done">,
) {
  if (todo.is_completed) return todoCompleted;
  const { reminders, todos, today, acceptedAt, now } = context;
  const reminder = reminders.get(todo.id);
  const rangAt = timestamp(delivery.scheduled_at);
  const usual = reminder?.wall_time ?? wallTimeOf(localTime(Date.parse(rangAt), today.timeZone));
  const time = snoozedTime(act, usual.slice(11), { ...today, now: acceptedAt });
  putReminder(
    context,
    todo,
    todo.recurrence == null ? time : { ...time, wall_time: wallTimeOf(usual.replace(" ", "T")) },
  );
  return todoAnswer(context, todos.update(todo, { updated_at: now }));
}
