import { Type } from "typebox";
import Format from "typebox/format";
import { reminderStatuses } from "../domain/vocabulary.ts";
import { command } from "./contract.ts";
import { Id, OneOf, Timestamp } from "./fields.ts";

Format.Set("reminder-time", isReminderTime);

const RemindAt = Type.String({
  format: "reminder-time",
  expects: "a time such as 2026-11-21T09:00:00+01:00, or 2026-11-21T09:00 in the user's own zone",
});

export const Reminder = Type.Object({
  todo_id: Id,
  remind_at: Timestamp,
  local_time: Type.String({ description: "YYYY-MM-DDTHH:MM:SS in time_zone" }),
  time_zone: Type.String(),
  status: OneOf(reminderStatuses),
});

const path = "/todos/{todo_id}/reminder";

export const setReminder = command({
  name: "reminder.set",
  scopes: ["todos:write"],
  summary: "Set or move the calling user's reminder for a todo",
  rest: [{ method: "PUT", path, status: 200 }],
  input: Type.Object({ todo_id: Id, remind_at: RemindAt }),
  output: Reminder,
});

export const clearReminder = command({
  name: "reminder.clear",
  scopes: ["todos:write"],
  summary: "Clear the calling user's reminder for a todo",
  rest: [{ method: "DELETE", path, status: 204 }],
  input: Type.Object({ todo_id: Id }),
  output: Type.Null(),
});

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** RFC 3339 with an offset, or the same without one: wall time. Real dates and times only. */
function isReminderTime(text: string): boolean {
  if (!shape.test(text)) return false;
  try {
    hasOffset(text) ? Temporal.Instant.from(text) : Temporal.PlainDateTime.from(text);
    return true;
  } catch {
    return false;
  }
}

export const hasOffset = (text: string): boolean => /(Z|[+-]\d{2}:\d{2})$/.test(text);
