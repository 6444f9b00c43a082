import { type Static, Type } from "typebox";
import { allWebhookEvents, type WebhookEvents as EventName } from "../../domain/webhook.ts";
import { command, query } from "../kernel/contract.ts";
import { Flag, Nullable, OneOf, Timestamp, titled } from "../kernel/fields.ts";
import type { Scope } from "../kernel/scopes.ts";
import { exampleWebhook } from "./example.ts";

export const uuidOf = (expects: string) => Type.String({ format: "uuid", expects });
export const WebhookId = uuidOf("the id of a webhook");
export const webhookScopes = ["webhooks:write"] as const;

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

export const Webhook = titled(
  "Webhook",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    url: Type.String(),
    events: Type.Array(WebhookEvents),
    is_active: Type.Boolean({ description: "False while nothing is posted; changes wait until it is on" }),
    failing_since: Nullable(Timestamp),
    disabled_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

const NewWebhook = titled(
  "NewWebhook",
  Type.Object({
    ...Webhook.properties,
    secret: Nullable(
      Type.String({
        description:
          "whsec_…: the receiver checks signatures with it. No other answer has it; a repeat has null",
      }),
    ),
  }),
);

const scopesOfEvents: Readonly<Record<EventName, readonly Scope[]>> = {
  "category.*": ["categories:read"],
  "habit.*": ["habits:read"],
  "todo.*": ["todos:read"],
  "reminder.due": ["habits:read", "todos:read"],
};

/** A webhook never sends what the token that chose its events could not read. */
const readScopes = ({ events = [] }: Readonly<{ events?: readonly EventName[] }>): readonly Scope[] => [
  ...new Set(events.flatMap((event) => scopesOfEvents[event])),
];

const { url, events, is_active } = exampleWebhook;
const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

export const createWebhook = command({
  name: "webhook.create",
  apart: true,
  secretField: "secret",
  scopes: webhookScopes,
  inputScopes: readScopes,
  summary: "Have changes posted to an address. Events need the scopes to read their things",
  rest: [
    {
      operationId: "createWebhook",
      method: "POST",
      path: "/webhooks",
      status: 201,
      example: { input: { url, events }, output: { ...exampleWebhook, secret } },
    },
  ],
  input: Type.Object({ url: Url, events: Events }),
  output: NewWebhook,
  events: ({ url }) => [{ kind: "webhook_made", details: { host: new URL(url).host } }],
});

export const updateWebhook = command({
  name: "webhook.update",
  scopes: webhookScopes,
  inputScopes: readScopes,
  resource: "Webhook",
  summary: "Change a webhook, or switch it on or off",
  rest: [
    {
      operationId: "updateWebhook",
      method: "PATCH",
      path: "/webhooks/{webhook_id}",
      status: 200,
      example: { input: { webhook_id: exampleWebhook.id, is_active }, output: exampleWebhook },
    },
  ],
  input: Type.Object({
    webhook_id: WebhookId,
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    is_active: Type.Optional(Flag),
  }),
  output: Webhook,
  events: ({ webhook_id: webhook, url }) => [
    {
      kind: "webhook_changed",
      details: { webhook, change: url === undefined ? "" : `, to post to ${new URL(url).host}` },
    },
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
  rest: [
    {
      operationId: "deleteWebhook",
      method: "DELETE",
      path: "/webhooks/{webhook_id}",
      status: 204,
      example: { input: { webhook_id: exampleWebhook.id }, output: null },
    },
  ],
  input: Type.Object({ webhook_id: WebhookId }),
  output: Type.Null(),
  events: ({ webhook_id: webhook }) => [{ kind: "webhook_deleted", details: { webhook } }],
});

export const listWebhooks = query({
  name: "webhook.list",
  scopes: webhookScopes,
  summary: "List webhooks",
  rest: [
    {
      operationId: "listWebhooks",
      method: "GET",
      path: "/webhooks",
      status: 200,
      example: { input: {}, output: { data: [exampleWebhook] } },
    },
  ],
  input: Type.Object({}),
  output: titled("Webhooks", Type.Object({ data: Type.Array(Webhook) })),
});

export const getWebhook = query({
  name: "webhook.get",
  scopes: webhookScopes,
  resource: "Webhook",
  summary: "View a webhook",
  rest: [
    {
      operationId: "getWebhook",
      method: "GET",
      path: "/webhooks/{webhook_id}",
      status: 200,
      example: { input: { webhook_id: exampleWebhook.id }, output: exampleWebhook },
    },
  ],
  input: Type.Object({ webhook_id: WebhookId }),
  output: Webhook,
});

export type Webhook = Static<typeof Webhook>;
