import { settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { newUser } from "./settings.ts";

/** Sessions of the account pages have a generation, and only the newest one counts. */
export const userEndSessions: Handler<"user.end-sessions"> = {
  rows: () => [settingsForUpdate],
  run(context) {
    const { users, now } = context;
    const user = users.get() ?? users.insert(newUser(context));
    users.update(user, { session_generation: user.session_generation + 1, updated_at: now });
    return null;
  },
};
