import type { Handler } from "../handler.ts";
import { newDelivery } from "../reminder/new-delivery.ts";

/** The message is a delivery like a due reminder; a person without a channel has no other way to learn of it. */
export const journalSend: Handler<"journal.send"> = {
  run({ deliveries, acceptedAt, now }, said) {
    const scheduled_at = new Date(acceptedAt).toISOString();
    const what = { todo_id: null, habit_id: null, channel: null, scheduled_at };
    deliveries.insert({ ...newDelivery({ acceptedAt, now }, what), about: "account", said });
    return null;
  },
};
