import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { owner, timestamptz } from "./columns.ts";

/** The secret address of a person's calendar feed. */
export const CalendarFeedEntity = defineEntity({
  name: "CalendarFeed",
  tableName: "calendar_feeds",
  properties: {
    user_id: owner(),
    /** sha256 of the secret, in base64url. */
    secret_hash: p.text(),
    created_at: timestamptz(),
  },
});

export type CalendarFeedRow = InferEntity<typeof CalendarFeedEntity>;
