import type { UserRow } from "../../../shared/db/entities.ts";
import { presentSettings } from "../../../shared/db/present.ts";
import { localDay } from "../../../shared/domain/day/day.ts";
import { moved } from "../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import type { StoredDaySettings } from "../../unit-of-work/batch-times.ts";
import { allForUpdate, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import { beginWork } from "../begin-work.ts";
import type { HandlerContext } from "../handler.ts";
import { noChannels } from "./channels.ts";
import { digestAfterChange } from "./next-digest.ts";

/** The settings, and all rows that the start of day changes; reminders follow the zone in steps. */
export const rowsThatFollowTheZone = [settingsForUpdate, allForUpdate("habits")];

/** @returns the settings of a user who has chosen nothing, in the zone in force */
export const newUser = ({ today, dayStartHour, now }: HandlerContext): Omit<UserRow, "user_id"> => ({
  time_zone: today.timeZone,
  day_start_hour: dayStartHour,
  locale: null,
  zone_source: "claim",
  zone_claimed_at: null,
  ...noChannels,
  digest: "never",
  digest_at: null,
  session_generation: 0,
  created_at: now,
  updated_at: now,
});

/** Stores the settings, and moves rows that depend on the zone and the start of day. */
export function storeSettings(context: HandlerContext, day: StoredDaySettings, fields: Partial<UserRow>) {
  const { users, now, acceptedAt } = context;
  const user = users.get();
  const before = user ?? newUser(context);
  const changed = { ...fields, ...day, updated_at: now };
  const digest_at = digestAfterChange(before, { ...before, ...changed }, acceptedAt);
  const row = user
    ? users.update(user, { ...changed, digest_at })
    : users.insert({ ...newUser(context), ...changed, digest_at });
  changeDaySettings(context, day);
  return presentSettings(row, { timeZone: day.time_zone, dayStartHour: day.day_start_hour });
}

/** Moves every streak and wall-clock reminder to another zone or start of day. */
function changeDaySettings(context: HandlerContext, day: StoredDaySettings): void {
  const { today, dayStartHour, acceptedAt } = context;
  const date = localDay(acceptedAt, day.time_zone, day.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  const isAsBefore = day.time_zone === today.timeZone && day.day_start_hour === dayStartHour;
  if (!isAsBefore) beginWork(context, "user.configure", { at: acceptedAt, from: today.timeZone });
}

function moveStreaks({ habits, today }: HandlerContext, date: string): void {
  for (const row of habits.all()) {
    const days = moved(row, today.date, date);
    habits.update(row, { ...days, ...streakColumns({ ...row, ...days }, date) });
  }
}
