import { Type } from "typebox";
import { todoCompleted } from "../../domain/conflicts.ts";
import { acts } from "../../domain/reminder/link.ts";
import { command, query } from "../kernel/contract.ts";
import { Id, OneOf } from "../kernel/fields.ts";
import { todoExamples } from "../todo/examples.ts";
import { RemindAt, Reminder } from "../todo/reminder-schema.ts";
import { Todo } from "../todo/schema.ts";

const path = "/todos/{todo_id}/reminder";

export const getReminder = query({
  name: "reminder.get",
  resource: "Reminder",
  scopes: ["todos:read"],
  summary: "View the calling user's reminder for a todo",
  rest: [{ operationId: "getReminder", method: "GET", path, status: 200, example: todoExamples.getReminder }],
  input: Type.Object({ todo_id: Id }),
  output: Reminder,
});

export const setReminder = command({
  name: "reminder.set",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Set or move the calling user's reminder for a todo",
  conflict: todoCompleted,
  rest: [{ operationId: "setReminder", method: "PUT", path, status: 200, example: todoExamples.setReminder }],
  input: Type.Object({ todo_id: Id, remind_at: RemindAt }),
  output: Reminder,
});

export const clearReminder = command({
  name: "reminder.clear",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Clear the calling user's reminder for a todo",
  rest: [
    {
      operationId: "clearReminder",
      method: "DELETE",
      path,
      status: 204,
      example: todoExamples.clearReminder,
    },
  ],
  input: Type.Object({ todo_id: Id }),
  output: Type.Null(),
});

/** Only links in reminders use it. It has a scope, because a change of a todo is logged and can be undone. */
export const actOnReminder = command({
  name: "reminder.act",
  scopes: ["todos:write"],
  summary: "Do what a link in a reminder offers, once",
  conflict: todoCompleted,
  input: Type.Object({ todo_id: Id, delivery_id: Type.String({ format: "uuid" }), act: OneOf(acts) }),
  output: Todo,
});

/** Only the account pages use it, so it has neither scope nor route. */
export const sendReminderAgain = command({
  name: "reminder.send-again",
  scopes: [],
  summary: "Send a reminder again whose delivery failed",
  input: Type.Object({
    todo_id: Type.Optional(Id),
    habit_id: Type.Optional(Id),
    delivery_id: Type.String({ format: "uuid" }),
  }),
  output: Type.Object({ delivery_id: Type.String() }),
});
