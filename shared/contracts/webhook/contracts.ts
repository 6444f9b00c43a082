import { type Static, Type } from "typebox";
import { readAddress } from "../../domain/outside-address.ts";
import {
  allWebhookEvents,
  type WebhookEvents as EventName,
  webhookDeliveryStatuses,
  webhookSubjects,
} from "../../domain/vocabulary.ts";
import { command, query, route } from "../kernel/contract.ts";
import { Flag, Id, Nullable, OneOf, Timestamp, titled, titledObject } from "../kernel/fields.ts";
import type { Scope } from "../kernel/scopes.ts";
import { exampleTodo } from "../todo/examples.ts";

const uuidOf = (expects: string) => Type.String({ format: "uuid", expects });
const WebhookId = uuidOf("the id of a webhook");
const webhookScopes = ["webhooks:write"] as const;

const Url = Type.String({
  format: "webhook-url",
  maxLength: 2_000,
  expects: "an https address without a user name and password",
});

const WebhookEvents = titled("WebhookEvents", OneOf(allWebhookEvents));

const Events = Type.Array(WebhookEvents, {
  minItems: 1,
  maxItems: allWebhookEvents.length,
  uniqueItems: true,
  expects: `a list of different events (${allWebhookEvents.join(", ")})`,
});

export const Webhook = titledObject("Webhook", {
  id: Type.String({ format: "uuid" }),
  url: Type.String({ description: "Only the host of an address that another token or the person chose" }),
  events: Type.Array(WebhookEvents),
  is_active: Type.Boolean({ description: "False while nothing is posted; changes wait until it is on" }),
  failing_since: Nullable(Timestamp),
  disabled_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export type Webhook = Static<typeof Webhook>;

const NewWebhook = titledObject("NewWebhook", {
  ...Webhook.properties,
  secret: Nullable(
    Type.String({
      description: "whsec_…: the receiver checks signatures with it. Repeats and approved requests have null",
    }),
  ),
});

export const scopesOfEvents: Readonly<Record<EventName, readonly Scope[]>> = {
  "category.*": ["categories:read"],
  "habit.*": ["habits:read"],
  "todo.*": ["todos:read"],
  "reminder.due": ["habits:read", "todos:read"],
};

/** A webhook never sends what the token that chose its events could not read. */
const readScopes = ({ events = [] }: Readonly<{ events?: readonly EventName[] }>): readonly Scope[] => [
  ...new Set(events.flatMap((event) => scopesOfEvents[event])),
];

export const WebhookDelivery = titledObject("WebhookDelivery", {
  id: Type.String({ format: "uuid" }),
  subject: titled("WebhookSubject", OneOf(webhookSubjects)),
  thing_id: Id,
  status: titled("WebhookDeliveryStatus", OneOf(webhookDeliveryStatuses)),
  attempts: Type.Integer(),
  error: Nullable(Type.String()),
  next_attempt_at: Nullable(Timestamp),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
});

const at = "2026-11-20T08:30:00.000000Z";

const exampleWebhook: Webhook = {
  id: "0b7c6a52-5a7c-4a3e-9d3c-8f1f7a0c6c11",
  url: "https://n8n.example.org/webhook/kept",
  events: ["todo.*"],
  is_active: true,
  failing_since: null,
  disabled_at: null,
  created_at: at,
  updated_at: at,
};

const exampleDelivery: Static<typeof WebhookDelivery> = {
  id: "9d3c6a52-5a7c-4a3e-8b7c-8f1f7a0c6c12",
  subject: "todo",
  thing_id: exampleTodo.id,
  status: "waiting",
  attempts: 0,
  error: null,
  next_attempt_at: at,
  created_at: at,
  finished_at: null,
};

const { id: webhook_id, url, events, is_active } = exampleWebhook;
const path = "/webhooks/{webhook_id}";
const exampleSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** An address has no quotation marks in this form. */
const quoted = (url: string): string => `“${readAddress(url)?.href ?? ""}”`;

export const createWebhook = command({
  name: "webhook.create",
  apart: true,
  secretField: "secret",
  scopes: webhookScopes,
  inputScopes: readScopes,
  summary: "Have changes posted to an address. Events need the scopes to read their things",
  rest: [
    route(
      "createWebhook",
      "POST",
      "/webhooks",
      { input: { url, events }, output: { ...exampleWebhook, secret: exampleSecret } },
      { status: 201 },
    ),
  ],
  input: Type.Object({ url: Url, events: Events }),
  output: NewWebhook,
  opens: () => "webhook",
  asks: ({ url, events }) => `Make a webhook that posts ${events.join(", ")} to ${quoted(url)}`,
  events: ({ url }) => [{ kind: "webhook_made", details: { host: new URL(url).host } }],
});

export const updateWebhook = command({
  name: "webhook.update",
  scopes: webhookScopes,
  inputScopes: readScopes,
  resource: "Webhook",
  summary: "Change a webhook, or switch it on or off",
  rest: [route("updateWebhook", "PATCH", path, { input: { webhook_id, is_active }, output: exampleWebhook })],
  input: Type.Object({
    webhook_id: WebhookId,
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    is_active: Type.Optional(Flag),
  }),
  output: Webhook,
  // Switched on by its person, it is the person's, also if a token that has ended chose its address.
  opens: ({ url, is_active }) => (url === undefined && !is_active ? undefined : "webhook"),
  asks({ url, events, is_active }, address) {
    const to = url === undefined ? "" : ` to ${quoted(url)}`;
    const posts = events ? `: it posts ${events.join(", ")}${to}` : "";
    const state = is_active === undefined ? "" : `; it is ${is_active ? "on" : "off"}`;
    return `Change the webhook to ${quoted(address)}${posts}${state}`;
  },
  events: ({ webhook_id: webhook, url }) => [
    url === undefined
      ? { kind: "webhook_changed", details: { webhook } }
      : { kind: "webhook_moved", details: { webhook, host: new URL(url).host } },
  ],
  // So whoever chooses the address must have the scopes to read what goes there.
  refine: ({ url, events }) =>
    url !== undefined && events === undefined
      ? { events: ["The events field is needed with url: name the events that the new address gets."] }
      : undefined,
});

export const deleteWebhook = command({
  name: "webhook.delete",
  apart: true,
  scopes: webhookScopes,
  resource: "Webhook",
  summary: "Delete a webhook with its deliveries",
  rest: [route("deleteWebhook", "DELETE", path, { input: { webhook_id }, output: null })],
  input: Type.Object({ webhook_id: WebhookId }),
  output: Type.Null(),
  asks: (_, address) => `Delete the webhook to ${quoted(address)}`,
  events: ({ webhook_id: webhook }) => [{ kind: "webhook_deleted", details: { webhook } }],
});

export const listWebhooks = query({
  name: "webhook.list",
  scopes: webhookScopes,
  summary: "List webhooks",
  rest: [route("listWebhooks", "GET", "/webhooks", { input: {}, output: { data: [exampleWebhook] } })],
  input: Type.Object({}),
  output: titledObject("Webhooks", { data: Type.Array(Webhook) }),
});

export const getWebhook = query({
  name: "webhook.get",
  scopes: webhookScopes,
  resource: "Webhook",
  summary: "View a webhook",
  rest: [route("getWebhook", "GET", path, { input: { webhook_id }, output: exampleWebhook })],
  input: Type.Object({ webhook_id: WebhookId }),
  output: Webhook,
});

export const sendDeliveryAgain = command({
  name: "webhook.send-again",
  scopes: webhookScopes,
  resource: "Delivery",
  summary: "Post a finished delivery again, with the present state of its thing",
  rest: [
    route("sendWebhookDeliveryAgain", "POST", `${path}/deliveries/{delivery_id}/send-again`, {
      input: { webhook_id, delivery_id: exampleDelivery.id },
      output: exampleDelivery,
    }),
  ],
  input: Type.Object({ webhook_id: WebhookId, delivery_id: uuidOf("the id of a delivery") }),
  output: WebhookDelivery,
  asks: (_, address) => `Post once more what the webhook to ${quoted(address)} was sent`,
});

export const listDeliveries = query({
  name: "webhook.deliveries",
  scopes: webhookScopes,
  resource: "Webhook",
  summary: "List the newest 100 deliveries of a webhook",
  rest: [
    route("listWebhookDeliveries", "GET", `${path}/deliveries`, {
      input: { webhook_id },
      output: { data: [exampleDelivery] },
    }),
  ],
  input: Type.Object({ webhook_id: WebhookId }),
  output: titledObject("WebhookDeliveries", { data: Type.Array(WebhookDelivery) }),
});
