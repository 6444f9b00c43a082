import { hasOffset } from "../../../shared/contracts/reminder.ts";
import type { ReminderRow } from "../../../shared/db/entities.ts";
import { presentReminder, timestamp } from "../../../shared/db/present.ts";
import { resolveLocalTime } from "../../../shared/domain/day.ts";
import { conflict, invalid, notFound } from "../../../shared/errors.ts";
import { all, lockTodo } from "../../unit-of-work/load.ts";
import type { Handler } from "../handler.ts";
import { newUser } from "../user/configure.ts";

/** A reminder up to this late (ms) is the present to a slow request, not the past. */
const tolerance = 60_000;
/** So that the time has four digits of year in every zone. */
const tooFar = Date.UTC(9999);

export const set: Handler<"reminder.set"> = {
  // A wall time needs the zone that is committed last: the settings are held while it is turned into an instant.
  needs: ({ todo_id, remind_at }) => [...lockTodo(todo_id), ...(hasOffset(remind_at) ? [] : [all("users")])],
  run(context, { todo_id, remind_at }) {
    const { todos, reminders, users, today, acceptedAt, now } = context;
    const { instant, wallTime } = timeOf(remind_at, today.timeZone);
    if (instant < acceptedAt - tolerance)
      return invalid({ remind_at: ["The remind_at field must not be in the past."] });
    if (instant >= tooFar)
      return invalid({ remind_at: ["The remind_at field must be before the year 9999."] });
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (todo.is_completed) return conflict("Todo is already completed; a reminder needs an incomplete todo.");
    const fields = {
      remind_at: new Date(instant).toISOString(),
      wall_time: wallTime,
      status: "scheduled" as const,
      delivery_id: null,
      updated_at: now,
    };
    const before = reminders.get(todo_id);
    if (before && isRepeat(before, fields)) return presentReminder(before, today);
    // Without a row to hold, a zone that is chosen at the same time would be missed for ever.
    if (wallTime !== null && !users.get()) users.insert(newUser(context));
    todos.update(todo, { updated_at: now });
    const row = before
      ? reminders.update(before, fields)
      : reminders.insert({ todo_id, created_at: now, ...fields });
    return presentReminder(row, today);
  },
};

function timeOf(remindAt: string, timeZone: string): { instant: number; wallTime: string | null } {
  if (hasOffset(remindAt))
    return { instant: Temporal.Instant.from(remindAt).epochMilliseconds, wallTime: null };
  const wallTime = Temporal.PlainDateTime.from(remindAt).toString();
  return { instant: resolveLocalTime(wallTime, timeZone), wallTime };
}

/** The same time again is the same reminder: a repeated request does not ring twice. */
function isRepeat(before: ReminderRow, after: Pick<ReminderRow, "remind_at" | "wall_time">): boolean {
  const live = before.status === "scheduled" || before.status === "sent";
  const follows = (row: Pick<ReminderRow, "wall_time">) => row.wall_time != null;
  return (
    live && timestamp(before.remind_at) === timestamp(after.remind_at) && follows(before) === follows(after)
  );
}

export const clear: Handler<"reminder.clear"> = {
  needs: ({ todo_id }) => lockTodo(todo_id),
  run({ todos, reminders, now }, { todo_id }) {
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (!reminders.get(todo_id)) return null;
    reminders.remove(todo_id);
    todos.update(todo, { updated_at: now });
    return null;
  },
};
