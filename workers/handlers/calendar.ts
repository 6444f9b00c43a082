import { settingsForUpdate } from "../unit-of-work/row-request.ts";
import type { Handler } from "./handler.ts";

/** Another address, or none, ends the earlier one at once. */
export const calendarSet: Handler<"calendar.set"> = {
  idempotent: true,
  rows: () => [{ ...settingsForUpdate, table: "calendar_feeds" }],
  run({ calendarFeeds, now }, { secret_hash }) {
    const before = calendarFeeds.get();
    if (secret_hash === null) {
      if (before) calendarFeeds.remove();
    } else if (!before) calendarFeeds.upsert({ secret_hash, created_at: now });
    else if (before.secret_hash !== secret_hash)
      calendarFeeds.update(before, { secret_hash, created_at: now });
    return null;
  },
};
