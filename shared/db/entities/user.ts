import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { perTarget, type ReminderChannel } from "../../domain/reminder/channels.ts";
import { owner, timestamps, timestamptz } from "./columns.ts";

export const UserEntity = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    user_id: owner(),
    time_zone: p.text(),
    /** `chosen` on the settings page, or `claim`: taken from the token's `zoneinfo`. */
    zone_source: p.text().$type<"chosen" | "claim">(),
    /** Issue time of the token that carried the claim; an older token never overrides a newer one. */
    zone_claimed_at: timestamptz().nullable(),
    day_start_hour: p.integer(),
    reminder_channel: p.text().$type<ReminderChannel>(),
    /** An e-mail address is verified by the identity provider. */
    ...perTarget(() => p.text().nullable()),
    webhook_secret: p.text().nullable(),
    /** Failed attempts in a row, and since when: a webhook that has failed for a day is switched off. */
    webhook_failures: p.integer(),
    webhook_failing_since: timestamptz().nullable(),
    webhook_disabled_at: timestamptz().nullable(),
    /** The delivery made by the last press of the test button. */
    webhook_test_id: p.string().columnType("uuid").nullable(),
    /** Every session of the account pages has the generation of its sign-in: raising this number ends them all. */
    session_generation: p.integer(),
    ...timestamps,
  },
});

export type UserRow = InferEntity<typeof UserEntity>;
