import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { perTarget, type ReminderChannel } from "../../domain/reminder/channels.ts";
import type { Digest } from "../../domain/vocabulary.ts";
import { owner, timestamps, timestamptz } from "./columns.ts";

export const UserEntity = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    user_id: owner(),
    time_zone: p.text(),
    /** `chosen` on the settings page, or `claim`: taken from the token's `zoneinfo`. */
    zone_source: p.text().$type<"chosen" | "claim">(),
    /** The time of issue of the claiming token; an older token never overrides a newer one. */
    zone_claimed_at: timestamptz().nullable(),
    day_start_hour: p.integer(),
    /** The order of dates, the clock and the first day of the week of the last sign-in's browser; null means the usual. */
    locale: p.text().nullable(),
    reminder_channel: p.text().$type<ReminderChannel>(),
    digest: p.text().$type<Digest>(),
    /** The time of the next digest; it follows from the choice and the zone. */
    digest_at: timestamptz().nullable(),
    /** The identity provider has verified the address. */
    ...perTarget(() => p.text().nullable()),
    webhook_secret: p.text().nullable(),
    /** Failed attempts in a row, and the time of the first: a webhook that fails for a day is switched off. */
    webhook_failures: p.integer(),
    webhook_failing_since: timestamptz().nullable(),
    webhook_disabled_at: timestamptz().nullable(),
    /** The delivery made by the last press of a test button, whatever the channel. */
    webhook_test_id: p.string().columnType("uuid").nullable(),
    /** Every session of the account pages has the generation of its sign-in. Raising this number ends all of them. */
    session_generation: p.integer(),
    ...timestamps,
  },
});

export type UserRow = InferEntity<typeof UserEntity>;
