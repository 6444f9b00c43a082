import { kind } from "./event.ts";

/** Events of settings and data, and of the ways that lead out. */
export const data = {
  settings_changed: kind<{ fields: string }>({
    says: ({ fields }) => `Settings were saved: ${fields}.`,
    logs: "user_updated",
    told: null,
  }),
  channel_changed: kind<{ fields: string }>({
    says: ({ fields }) => `The ways in which reminders come were changed: ${fields}.`,
    logs: "user_updated",
    told: null,
  }),
  feed_changed: kind<{ isOn: boolean }>({
    says: ({ isOn }) =>
      isOn ? "The calendar got a new secret address." : "The calendar’s address was ended.",
    logs: "sensitive_create",
    told: null,
  }),
  webhook_made: kind<{ host: string }>({
    says: ({ host }) => `A webhook to ${host} was made.`,
    logs: "sensitive_create",
    told: null,
  }),
  webhook_changed: kind<{ webhook: string; change: string }>({
    says: ({ webhook, change }) => `The webhook ${webhook} was changed${change}.`,
    logs: "sensitive_update",
    told: null,
  }),
  webhook_deleted: kind<{ webhook: string }>({
    says: ({ webhook }) => `The webhook ${webhook} was deleted.`,
    logs: "sensitive_delete",
    told: null,
  }),
  exported: kind<{ what: string }>({
    says: ({ what }) => `A file was downloaded: ${what}.`,
    logs: "sensitive_read",
    told: null,
  }),
  imported: kind({ says: () => "A file was imported.", logs: "upload_complete", told: null }),
  forgotten: kind<{ thing: string }>({
    says: ({ thing }) => `A deleted ${thing} was forgotten for good.`,
    logs: "sensitive_delete",
    told: null,
  }),
} as const;
