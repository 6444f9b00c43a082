import type { WebhookSubject } from "../../../shared/domain/vocabulary.ts";
import { now } from "../store.ts";

/** A statement that has the reminders of `written` posted, in the transaction that writes their deliveries. */
export const postDue = (subject: WebhookSubject, thing: "todo_id" | "habit_id"): string => `
  insert into webhook_deliveries
    (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at)
  select w.user_id, gen_random_uuid(), w.id, '${subject}', r.${thing}, 'waiting', 0, ${now}, ${now}
  from written r join webhooks w on w.user_id = r.user_id
  where w.is_active and 'reminder.due' = any(w.events)`;
