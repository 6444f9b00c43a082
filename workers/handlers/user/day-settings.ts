import type { UserRow } from "../../../shared/db/entities.ts";
import { localDay, resolveLocalTime } from "../../../shared/domain/day.ts";
import { moveDay } from "../../../shared/domain/streak.ts";
import { rulesOf, streakColumns } from "../habit/create.ts";
import type { Context } from "../handler.ts";

export type DaySettings = Pick<UserRow, "time_zone" | "day_start_hour">;

/** Carries every streak and wall-clock reminder over to another zone or start of day. */
export function changeDaySettings(context: Context, clock: DaySettings): void {
  const { today, acceptedAt } = context;
  const date = localDay(acceptedAt, clock.time_zone, clock.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  if (clock.time_zone !== today.timeZone) moveReminders(context, clock.time_zone);
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
