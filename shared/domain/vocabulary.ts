/** The words of the domain: contracts validate by these lists, and columns take their types from them. */

export const timesOfDay = ["morning", "afternoon", "evening"] as const;
export type TimeOfDay = (typeof timesOfDay)[number];

/** A bad habit is completed by avoiding it. */
export const habitTypes = ["good", "bad"] as const;
export type HabitType = (typeof habitTypes)[number];

export const frequencies = ["daily", "weekly", "custom"] as const;
export type Frequency = (typeof frequencies)[number];

/** The start of the next repetition: the due date, or the day of completion. */
export const recurrenceStarts = ["due", "completion"] as const;
export type RecurrenceStart = (typeof recurrenceStarts)[number];

export const reminderStatuses = [
  "scheduled",
  "suspended",
  "sent",
  /** It came due while no channel was chosen, so only the server's log has it. */
  "unsent",
  "missed",
  "failed",
] as const;
export type ReminderStatus = (typeof reminderStatuses)[number];

export const deliveryStatuses = [
  "queued",
  "sending",
  "retrying",
  "sent",
  "unsent",
  "failed",
  "missed",
  "cancelled",
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The choices of a digest: a message about what agents changed. */
export const digests = ["never", "daily", "weekly"] as const;
export type Digest = (typeof digests)[number];

/** The colours of the account pages; those of the device unless the person chose. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The first day of the week; that of the browser's language unless the person chose. */
export const weekStarts = ["language", "mon", "sat", "sun"] as const;
export type WeekStart = (typeof weekStarts)[number];

/** States of a request that needed approval. `approved`: it is being carried out; `outdated`: its things had changed. */
export const approvalStates = ["waiting", "approved", "done", "declined", "expired", "outdated"] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** The door of a request: an agent's tool, REST, or the account pages. */
export const doors = ["mcp", "rest", "page"] as const;
export type Door = (typeof doors)[number];

export const resourceKinds = ["category", "habit", "todo"] as const;
export type ResourceKind = (typeof resourceKinds)[number];
export const tableOf = { category: "categories", habit: "habits", todo: "todos" } as const;

/** The kind of an action: a read, a refusal, or a change. */
export const actionKinds = ["change", "refusal", "read"] as const;
export type ActionKind = (typeof actionKinds)[number];

/** The effect of an action on people's things: the first that fits. Ticks are completions of todos and habits. */
export const actionEffects = [
  "refused",
  "asked",
  "read",
  "took back",
  "imported",
  "deleted",
  "made",
  "ticked",
  "moved",
  "changed",
] as const;
export type ActionEffect = (typeof actionEffects)[number];

/** The kinds of events that a webhook can have. */
export const allWebhookEvents = ["category.*", "habit.*", "todo.*", "reminder.due"] as const;
export type WebhookEvents = (typeof allWebhookEvents)[number];

export const maxWebhooks = 5;

export const webhookDeliveryStatuses = ["waiting", "delivered", "failed"] as const;
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatuses)[number];

/** The things that deliveries are about; the latter two for reminders that are due. */
export const webhookSubjects = ["category", "habit", "todo", "due_habit", "due_todo"] as const;
export type WebhookSubject = (typeof webhookSubjects)[number];

export const eventOfSubject: Readonly<Record<WebhookSubject, WebhookEvents>> = {
  ...{ category: "category.*", habit: "habit.*", todo: "todo.*" },
  ...{ due_habit: "reminder.due", due_todo: "reminder.due" },
};
