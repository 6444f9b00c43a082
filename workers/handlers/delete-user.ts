import type { Handler } from "../handler.ts";

/** Deletes all rows of a user, the action log and the stored replies included. Repeating it changes nothing. */
export const deleteUser: Handler<"user.delete"> = {
  repeatable: true,
  run({ deliveries, reminders, todos, completions, habits, categories, actions, inbox, users }) {
    for (const rows of [deliveries, reminders, todos, completions, habits, categories, actions, inbox, users])
      rows.removeAll();
    return null;
  },
};
