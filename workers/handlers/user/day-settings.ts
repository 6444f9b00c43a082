import { localDay } from "../../../shared/domain/day/day.ts";
import { moveDay } from "../../../shared/domain/habit/streak.ts";
import type { StoredDaySettings } from "../../unit-of-work/batch-times.ts";
import { beginWork } from "../begin-work.ts";
import { streakColumns } from "../habit/rows.ts";
import { rulesOf } from "../habit/rules.ts";
import type { HandlerContext } from "../handler.ts";

/** Moves every streak and wall-clock reminder to another zone or start of day. */
export function changeDaySettings(context: HandlerContext, day: StoredDaySettings): void {
  const { today, dayStartHour, acceptedAt } = context;
  const date = localDay(acceptedAt, day.time_zone, day.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  const isAsBefore = day.time_zone === today.timeZone && day.day_start_hour === dayStartHour;
  if (!isAsBefore) beginWork(context, "user.configure", { at: acceptedAt, from: today.timeZone });
}

function moveStreaks({ habits, today }: HandlerContext, date: string): void {
  for (const row of habits.all()) {
    const rules = rulesOf(row);
    habits.update(row, streakColumns(moveDay(row.streak_state, rules, today.date, date), rules));
  }
}
