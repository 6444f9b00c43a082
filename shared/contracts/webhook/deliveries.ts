import { Type } from "typebox";
import { webhookDeliveryStatuses, webhookSubjects } from "../../domain/webhook.ts";
import { command, query } from "../kernel/contract.ts";
import { Id, Nullable, OneOf, Timestamp, titled } from "../kernel/fields.ts";
import { uuidOf, WebhookId, webhookScopes } from "./contracts.ts";
import { exampleDelivery, exampleWebhook } from "./example.ts";

export const WebhookDelivery = titled(
  "WebhookDelivery",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    subject: titled("WebhookSubject", OneOf(webhookSubjects)),
    thing_id: Id,
    status: titled("WebhookDeliveryStatus", OneOf(webhookDeliveryStatuses)),
    attempts: Type.Integer(),
    error: Nullable(Type.String()),
    next_attempt_at: Nullable(Timestamp),
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  }),
);

const deliveryInput = { webhook_id: WebhookId, delivery_id: uuidOf("the id of a delivery") };

export const sendDeliveryAgain = command({
  name: "webhook.send-again",
  scopes: webhookScopes,
  resource: "Delivery",
  summary: "Post a finished delivery again, with the present state of its thing",
  rest: [
    {
      operationId: "sendWebhookDeliveryAgain",
      method: "POST",
      path: "/webhooks/{webhook_id}/deliveries/{delivery_id}/send-again",
      status: 200,
      example: {
        input: { webhook_id: exampleWebhook.id, delivery_id: exampleDelivery.id },
        output: exampleDelivery,
      },
    },
  ],
  input: Type.Object(deliveryInput),
  output: WebhookDelivery,
});

export const listDeliveries = query({
  name: "webhook.deliveries",
  scopes: webhookScopes,
  resource: "Webhook",
  summary: "List the newest 100 deliveries of a webhook",
  rest: [
    {
      operationId: "listWebhookDeliveries",
      method: "GET",
      path: "/webhooks/{webhook_id}/deliveries",
      status: 200,
      example: { input: { webhook_id: exampleWebhook.id }, output: { data: [exampleDelivery] } },
    },
  ],
  input: Type.Object({ webhook_id: WebhookId }),
  output: titled("WebhookDeliveries", Type.Object({ data: Type.Array(WebhookDelivery) })),
});
