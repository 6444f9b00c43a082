import type { UserRow } from "../../../shared/db/entities.ts";
import {
  addDays,
  dateOfDay,
  dayNumber,
  localDay,
  resolveLocalTime,
  timestamp,
  weekStart,
} from "../../../shared/domain/day/day.ts";
import type { Digest } from "../../../shared/domain/vocabulary.ts";

const clock = "08:00";

/** The first digest after an instant (epoch ms): at eight on the user's clock, every day or on Mondays. */
export function nextDigest(digest: Digest, timeZone: string, after: number): string | null {
  if (digest === "never") return null;
  const today = localDay(after, timeZone, 0);
  const isDaily = digest === "daily";
  const first = isDaily ? today : dateOfDay(weekStart(dayNumber(today)));
  const at = (date: string) => resolveLocalTime(`${date}T${clock}`, timeZone);
  const next = at(first) > after ? at(first) : at(addDays(first, isDaily ? 1 : 7));
  return new Date(next).toISOString();
}

type Choice = Pick<UserRow, "digest" | "time_zone">;

/** The next digest after a change of settings. One that is due and not yet taken still comes. */
export function digestAfterChange(
  before: Choice & Pick<UserRow, "digest_at">,
  { digest, time_zone }: Choice,
  now: number,
): string | null {
  const { digest_at = null } = before;
  if (digest === before.digest && time_zone === before.time_zone) return digest_at;
  const waiting = digest_at === null ? now : Date.parse(timestamp(digest_at)) - 1;
  return nextDigest(digest, time_zone, Math.min(waiting, now));
}
