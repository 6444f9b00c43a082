import { localDay, resolveLocalTime } from "../../../shared/domain/day.ts";
import { moveDay } from "../../../shared/domain/streak.ts";
import type { StoredDaySettings } from "../../unit-of-work/batch-times.ts";
import { streakColumns } from "../habit/rows.ts";
import { rulesOf } from "../habit/rules.ts";
import type { HandlerContext } from "../handler.ts";

/** Carries every streak and wall-clock reminder over to another zone or start of day. */
export function changeDaySettings(context: HandlerContext, day: StoredDaySettings): void {
  const { today, acceptedAt } = context;
  const date = localDay(acceptedAt, day.time_zone, day.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  if (day.time_zone !== today.timeZone) moveReminders(context, day.time_zone);
}

function moveStreaks({ habits, today }: HandlerContext, date: string): void {
  for (const row of habits.all()) {
    const rules = rulesOf(row);
    habits.update(row, streakColumns(moveDay(row.streak_state, rules, today.date, date), rules));
  }
}

/** A reminder moved to a time still ahead rings then, even if the old time is just being delivered. */
function moveReminders({ reminders, now, acceptedAt }: HandlerContext, timeZone: string): void {
  for (const row of reminders.all()) {
    if (row.wall_time == null || (row.status !== "scheduled" && row.status !== "suspended")) continue;
    const instant = resolveLocalTime(row.wall_time.replace(" ", "T"), timeZone);
    const again = instant > acceptedAt ? { delivery_id: null } : {};
    reminders.update(row, { remind_at: new Date(instant).toISOString(), ...again, updated_at: now });
  }
}
