/** The words that the domain is made of: contracts validate by these lists, and columns are typed by them. */

export const timesOfDay = ["morning", "afternoon", "evening"] as const;
export type TimeOfDay = (typeof timesOfDay)[number];

/** A bad habit is completed by having avoided it. */
export const habitTypes = ["good", "bad"] as const;
export type HabitType = (typeof habitTypes)[number];

export const frequencies = ["daily", "weekly", "custom"] as const;
export type Frequency = (typeof frequencies)[number];

/** Whether a recurring todo repeats from its due date or from the day on which it was completed. */
export const recurrenceStarts = ["due", "completion"] as const;
export type RecurrenceStart = (typeof recurrenceStarts)[number];

export const reminderStatuses = [
  "scheduled",
  "suspended",
  "sent",
  /** It was due while no channel was chosen, and only the server's log has it. */
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

/** By which way a request came: an agent's tool, a script's request, or a person on the account pages. */
export const doors = ["mcp", "rest", "page"] as const;
export type Door = (typeof doors)[number];

export const resourceKinds = ["category", "habit", "todo"] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** What an action was: only a look, something that was refused, or anything else, which changes something. */
export const actionKinds = ["change", "refusal", "read"] as const;
export type ActionKind = (typeof actionKinds)[number];
