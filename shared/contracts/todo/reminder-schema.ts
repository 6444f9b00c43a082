import { Type } from "typebox";
import Format from "typebox/format";
import { examples } from "../../domain/day/example-dates.ts";
import { reminderStatuses } from "../../domain/vocabulary.ts";
import { ChooseChannelAt, Id, OneOf, Reach, Timestamp, titled } from "../kernel/fields.ts";

Format.Set("reminder-time", isReminderTime);

export const RemindAt = titled(
  "ReminderTime",
  Type.String({
    format: "reminder-time",
    expects: examples.time,
  }),
);

export const Reminder = titled(
  "Reminder",
  Type.Object({
    todo_id: Id,
    remind_at: Timestamp,
    local_time: Type.String({ description: "YYYY-MM-DDTHH:MM:SS in time_zone" }),
    time_zone: Type.String(),
    status: titled("ReminderStatus", OneOf(reminderStatuses)),
    reaches: Reach,
    choose_channel_at: ChooseChannelAt,
  }),
);

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;

/** True if a text is a real date and time in RFC 3339, with an offset or, as wall time, without one. */
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
