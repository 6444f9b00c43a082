import { createPublicKey } from "node:crypto";
import { Type } from "typebox";
import Format from "typebox/format";
import { conflicts } from "../../domain/conflicts.ts";
import { readReceiver } from "../../domain/outside-address.ts";
import { acts } from "../../domain/reminder/link.ts";
import { command, query, route } from "../kernel/contract.ts";
import { Id, OneOf } from "../kernel/fields.ts";
import { todoExamples } from "../todo/examples.ts";
import { RemindAt, Reminder, Todo } from "../todo/fields.ts";

const path = "/todos/{todo_id}/reminder";

export const getReminder = query({
  name: "reminder.get",
  resource: "Reminder",
  scopes: ["todos:read"],
  summary: "View the calling user's reminder for a todo",
  rest: [route("getReminder", "GET", path, todoExamples.getReminder)],
  input: Type.Object({ todo_id: Id }),
  output: Reminder,
});

export const setReminder = command({
  name: "reminder.set",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Set or move the calling user's reminder for a todo",
  conflict: conflicts.todoCompleted,
  rest: [route("setReminder", "PUT", path, todoExamples.setReminder)],
  input: Type.Object({ todo_id: Id, remind_at: RemindAt }),
  output: Reminder,
});

export const clearReminder = command({
  name: "reminder.clear",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Clear the calling user's reminder for a todo",
  rest: [route("clearReminder", "DELETE", path, todoExamples.clearReminder)],
  input: Type.Object({ todo_id: Id }),
  output: Type.Null(),
});

/** Only links in reminders use it. It has a scope, because a change of a todo is logged and can be undone. */
export const actOnReminder = command({
  name: "reminder.act",
  scopes: ["todos:write"],
  summary: "Do what a link in a reminder offers, once",
  conflict: conflicts.todoCompleted,
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

// Workers refuse this machine, too, unless a setting allows it.
Format.Set("push-endpoint", (text) => readReceiver(text, true)?.protocol === "https:");
Format.Set("push-key", isPushKey);
Format.Set("push-secret", (text) => /^[\w-]{22}$/.test(text));

/** Only the account pages use this and the next command, so they have neither scope nor route. */
export const subscribePush = command({
  name: "push.subscribe",
  apart: true,
  scopes: [],
  summary: "Show reminders in one more browser",
  input: Type.Object({
    endpoint: Type.String({
      format: "push-endpoint",
      maxLength: 2_000,
      expects: "the https address of a push service",
    }),
    p256dh: Type.String({ format: "push-key", expects: "a public key of P-256 in base64url" }),
    auth: Type.String({ format: "push-secret", expects: "16 bytes in base64url" }),
    browser: Type.String({ maxLength: 100, expects: "the name of a browser" }),
  }),
  output: Type.Object({ id: Type.String() }),
  opens: () => "browser",
  events: ({ browser }) => [{ kind: "channel_added", details: { way: browser } }],
});

export const unsubscribePush = command({
  name: "push.unsubscribe",
  apart: true,
  scopes: [],
  summary: "Show reminders no longer in one of the browsers",
  input: Type.Object({ id: Type.String({ format: "uuid" }) }),
  output: Type.Null(),
  events: () => [{ kind: "channel_changed", details: { fields: "a browser shows no more reminders" } }],
});

/** True for a point on the curve, in the uncompressed form of 65 bytes. */
function isPushKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (!/^[\w-]{87}$/.test(text) || bytes[0] !== 4) return false;
  const part = (from: number) => bytes.subarray(from, from + 32).toString("base64url");
  try {
    const key = { kty: "EC", crv: "P-256", x: part(1), y: part(33) };
    return createPublicKey({ key, format: "jwk" }).type === "public";
  } catch {
    return false;
  }
}
