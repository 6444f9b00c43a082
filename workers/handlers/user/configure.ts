import { invalid } from "../../../shared/errors.ts";
import { allWithoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { changedChannels, missingTarget, noChannels } from "./channels.ts";
import { moveReminders } from "./move-reminders.ts";
import { rowsThatFollowTheZone, storeSettings } from "./settings.ts";

/** Once the person has chosen a zone, the zones that tokens claim no longer count. */
export const userConfigure: Handler<"user.configure"> = {
  steps: moveReminders,
  rows: () => [...rowsThatFollowTheZone, allWithoutLock("push_subscriptions")],
  run(context, { time_zone, day_start_hour, locale, digest, ...chosen }) {
    const day = {
      time_zone: time_zone ?? context.today.timeZone,
      day_start_hour: day_start_hour === undefined ? context.dayStartHour : (day_start_hour ?? 0),
    };
    const before = context.users.get() ?? noChannels;
    const channels = changedChannels(before, chosen);
    const missing = missingTarget({ ...before, ...channels }, context.browsers.all().length);
    if (missing) return invalid(missing);
    const source = time_zone === undefined ? {} : ({ zone_source: "chosen" } as const);
    return storeSettings(context, day, { ...channels, ...source, ...patch({ locale, digest }) });
  },
};
