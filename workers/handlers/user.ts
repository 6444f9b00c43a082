import type { UserRow } from "../../shared/db/entities.ts";
import { timestamp } from "../../shared/db/present.ts";
import { localDay, resolveLocalTime } from "../../shared/domain/day.ts";
import { moveDay } from "../../shared/domain/streak.ts";
import type { Context, Handler } from "../handler.ts";
import { all } from "../unit-of-work/load.ts";
import { rulesOf, streakColumns } from "./habit.ts";

type Clock = Pick<UserRow, "time_zone" | "day_start_hour">;

const everythingThatFollowsTheZone = [all("users"), all("habits"), all("reminders")];

/** The person's own choice: from then on no token's zone counts. */
export const configure: Handler<"user.configure"> = {
  needs: () => everythingThatFollowsTheZone,
  run(context, { time_zone, day_start_hour }) {
    const clock = {
      time_zone: time_zone ?? context.today.timeZone,
      day_start_hour: day_start_hour === undefined ? context.dayStartHour : (day_start_hour ?? 0),
    };
    return moveClock(context, clock, time_zone === undefined ? {} : { zone_source: "chosen" });
  },
};

export const adoptZone: Handler<"user.adopt-zone"> = {
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
    return moveClock(context, clock, outdated ? {} : { zone_claimed_at: issued_at });
  },
};

const noChannels = {
  reminder_channel: "log",
  email: null,
  webhook_url: null,
  webhook_secret: null,
  webhook_failures: 0,
  webhook_failing_since: null,
  webhook_disabled_at: null,
  webhook_test_id: null,
} as const;

/** Stores the clock and carries every streak and wall-clock reminder over to it, in one transaction. */
function moveClock(context: Context, clock: Clock, more: Partial<UserRow>) {
  const { users, now, today, acceptedAt } = context;
  const user = users.get();
  if (user) users.update(user, { ...clock, ...more, updated_at: now });
  else
    users.insert({
      zone_source: "claim",
      zone_claimed_at: null,
      ...noChannels,
      ...clock,
      ...more,
      created_at: now,
      updated_at: now,
    });
  const date = localDay(acceptedAt, clock.time_zone, clock.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  if (clock.time_zone !== today.timeZone) moveReminders(context, clock.time_zone);
  return { time_zone: clock.time_zone, day_start_hour: clock.day_start_hour };
}

function moveStreaks({ habits, today }: Context, date: string): void {
  for (const row of habits.all()) {
    const rules = rulesOf(row);
    habits.update(row, streakColumns(moveDay(row.streak_state, rules, today.date, date), rules));
  }
}

/** A reminder moved to a time still ahead rings then, even if the old time is just being delivered. */
function moveReminders({ reminders, now, acceptedAt }: Context, timeZone: string): void {
  for (const row of reminders.all()) {
    if (row.wall_time == null || (row.status !== "scheduled" && row.status !== "suspended")) continue;
    const instant = resolveLocalTime(row.wall_time.replace(" ", "T"), timeZone);
    const again = instant > acceptedAt ? { delivery_id: null } : {};
    reminders.update(row, { remind_at: new Date(instant).toISOString(), ...again, updated_at: now });
  }
}
