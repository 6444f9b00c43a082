import { localDay } from "../../../shared/domain/day/day.ts";
import { moveDay } from "../../../shared/domain/habit/streak.ts";
import type { StoredDaySettings } from "../../unit-of-work/batch-times.ts";
import { beginWork } from "../begin-work.ts";
import { streakColumns } from "../habit/rows.ts";
import { rulesOf } from "../habit/rules.ts";
import type { HandlerContext } from "../handler.ts";

/** Carries every streak and wall-clock reminder over to another zone or start of day. */
export function changeDaySettings(context: HandlerContext, day: StoredDaySettings): void {
  const { today, acceptedAt } = context;
  const date = localDay(acceptedAt, day.time_zone, day.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  if (day.time_zone !== today.timeZone) beginWork(context, "user.configure", {});
}

function moveStreaks({ habits, today }: HandlerContext, date: string): void {
  for (const row of habits.all()) {
    const rules = rulesOf(row);
    habits.update(row, streakColumns(moveDay(row.streak_state, rules, today.date, date), rules));
  }
}
