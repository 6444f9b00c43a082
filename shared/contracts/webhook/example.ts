import type { WebhookDeliveryStatus, WebhookEvents, WebhookSubject } from "../../domain/webhook.ts";
import { exampleTodo } from "../todo/examples.ts";

const at = "2026-11-20T08:30:00.000000Z";
const events: WebhookEvents[] = ["todo.*"];

export const exampleWebhook = {
  id: "0b7c6a52-5a7c-4a3e-9d3c-8f1f7a0c6c11",
  url: "https://n8n.example.org/webhook/kept",
  events,
  is_active: true,
  failing_since: null,
  disabled_at: null,
  created_at: at,
  updated_at: at,
};

const subject: WebhookSubject = "todo";
const status: WebhookDeliveryStatus = "waiting";

export const exampleDelivery = {
  id: "9d3c6a52-5a7c-4a3e-8b7c-8f1f7a0c6c12",
  subject,
  thing_id: exampleTodo.id,
  status,
  attempts: 0,
  error: null,
  next_attempt_at: at,
  created_at: at,
  finished_at: null,
};
