import type { UserRow } from "../../../shared/db/entities.ts";
import { presentSettings, timestamp } from "../../../shared/db/present.ts";
import { invalid } from "../../../shared/errors.ts";
import { all } from "../../unit-of-work/load.ts";
import type { Context, Handler } from "../handler.ts";
import { changedChannels, missingTarget, noChannels } from "./channels.ts";
import { changeDaySettings, type DaySettings } from "./day-settings.ts";

const everythingThatFollowsTheZone = [all("users"), all("habits"), all("reminders")];

/** The person's own choice: from then on no token's zone counts. */
export const configure: Handler<"user.configure"> = {
  alone: true,
  needs: () => everythingThatFollowsTheZone,
  run(context, { time_zone, day_start_hour, ...chosen }) {
    const clock = {
      time_zone: time_zone ?? context.today.timeZone,
      day_start_hour: day_start_hour === undefined ? context.dayStartHour : (day_start_hour ?? 0),
    };
    const before = context.users.get() ?? noChannels;
    const channels = changedChannels(before, chosen);
    const missing = missingTarget({ ...before, ...channels });
    if (missing) return invalid(missing);
    const source = time_zone === undefined ? {} : ({ zone_source: "chosen" } as const);
    return store(context, clock, { ...channels, ...source });
  },
};

export const adoptZone: Handler<"user.adopt-zone"> = {
  alone: true,
  needs: () => everythingThatFollowsTheZone,
  run(context, { time_zone, issued_at }) {
    const user = context.users.get();
    const claimedAt = user?.zone_claimed_at;
    const outdated = claimedAt != null && timestamp(claimedAt) > issued_at;
    const keep = user?.zone_source === "chosen" || outdated;
    const clock = {
      time_zone: keep ? context.today.timeZone : time_zone,
      day_start_hour: context.dayStartHour,
    };
    return store(context, clock, outdated ? {} : { zone_claimed_at: issued_at });
  },
};

/** The settings of a user who has chosen nothing, in the zone that counts at present. */
export const newUser = ({ today, dayStartHour, now }: Context): Omit<UserRow, "user_id"> => ({
  time_zone: today.timeZone,
  day_start_hour: dayStartHour,
  zone_source: "claim",
  zone_claimed_at: null,
  ...noChannels,
  session_generation: 0,
  created_at: now,
  updated_at: now,
});

/** Sessions of the account pages carry the generation that they were made in, and only the newest counts. */
export const endSessions: Handler<"user.end-sessions"> = {
  needs: () => [all("users")],
  run(context) {
    const { users, now } = context;
    const user = users.get() ?? users.insert(newUser(context));
    users.update(user, { session_generation: user.session_generation + 1, updated_at: now });
    return null;
  },
};

/** Stores the settings, with what follows the clock in the same transaction. */
function store(context: Context, clock: DaySettings, fields: Partial<UserRow>) {
  const { users, now } = context;
  const user = users.get();
  const changed = { ...fields, ...clock, updated_at: now };
  const row = user ? users.update(user, changed) : users.insert({ ...newUser(context), ...changed });
  changeDaySettings(context, clock);
  return presentSettings(row, { timeZone: clock.time_zone, dayStartHour: clock.day_start_hour });
}
