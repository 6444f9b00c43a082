import { Type } from "typebox";
import { ResourceChange } from "../../../../shared/contracts/change/contracts.ts";
import { OneOf, Timestamp, titled } from "../../../../shared/contracts/kernel/fields.ts";
import { exampleTodo } from "../../../../shared/contracts/todo/examples.ts";
import type { Schemas } from "./schemas.ts";
import type { JsonSchema } from "./shape.ts";

const types = [
  "category.changed",
  "category.deleted",
  "habit.changed",
  "habit.deleted",
  "todo.changed",
  "todo.deleted",
  "reminder.due",
] as const;

const WebhookEvent = titled(
  "WebhookEvent",
  Type.Object({ type: titled("WebhookEventType", OneOf(types)), timestamp: Timestamp, data: ResourceChange }),
);

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const headers = [
  header("webhook-id", "The id of the delivery; a repeat has the same one"),
  header("webhook-timestamp", "The time of the attempt, in epoch seconds"),
  header("webhook-signature", "Signatures (Standard Webhooks, v1) of id, timestamp and body"),
];

const timestamp = "2026-11-20T08:30:00.000Z";

/** The posts to a person's webhooks, as the document's `webhooks` (OpenAPI 3.1). */
export function webhookOperations(schemas: Schemas) {
  const event = schemas.show(WebhookEvent);
  return Object.fromEntries(types.map((type) => [type, { post: operation(type, event) }]));
}

function operation(type: (typeof types)[number], schema: JsonSchema) {
  const deleted = type.endsWith(".deleted");
  const value = {
    type,
    timestamp,
    data: { type: "todo", id: exampleTodo.id, deleted, resource: deleted ? null : exampleTodo },
  };
  const examples =
    type.startsWith("todo") || type === "reminder.due" ? { examples: { [type]: { value } } } : {};
  return {
    operationId: `on ${type}`.replaceAll(/[ .](\w)/g, (_, first: string) => first.toUpperCase()),
    summary: type === "reminder.due" ? "A reminder is due" : `A ${type.replace(".", " was ")}`,
    description:
      "Any 2xx means that it has arrived. Anything else, or none within 10 s, is tried again over a day.",
    // The signature stands for a token.
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { "application/json": { schema, ...examples } } },
    responses: { "2XX": { description: "It has arrived" } },
  };
}
