import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Handler } from "../handler.ts";
import { rowsThatFollowTheZone, storeSettings } from "./settings.ts";

/** Takes over the zone that a token claims, unless the person has chosen one or a newer token claimed another. */
export const userClaimZone: Handler<"user.claim-zone"> = {
  rows: () => rowsThatFollowTheZone,
  run(context, { time_zone, issued_at }) {
    const user = context.users.get();
    const claimedAt = user?.zone_claimed_at;
    const outdated = claimedAt != null && timestamp(claimedAt) > issued_at;
    const keep = user?.zone_source === "chosen" || outdated;
    const day = {
      time_zone: keep ? context.today.timeZone : time_zone,
      day_start_hour: context.dayStartHour,
    };
    return storeSettings(context, day, outdated ? {} : { zone_claimed_at: issued_at });
  },
};
