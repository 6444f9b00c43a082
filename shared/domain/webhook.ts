/** The kinds of events that a webhook can have. */
export const allWebhookEvents = ["category.*", "habit.*", "todo.*", "reminder.due"] as const;
export type WebhookEvents = (typeof allWebhookEvents)[number];

/** The most webhooks of an account. */
export const maxWebhooks = 5;

export const webhookDeliveryStatuses = ["waiting", "sending", "delivered", "failed"] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

/** The things that deliveries are about; the latter two for reminders that are due. */
export const webhookSubjects = ["category", "habit", "todo", "due_habit", "due_todo"] as const;
export type WebhookSubject = (typeof webhookSubjects)[number];
