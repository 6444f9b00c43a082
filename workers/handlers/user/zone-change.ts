import { resolveLocalTime, timestamp, wallTimeAt } from "../../../shared/domain/day/day.ts";

/** A stored reminder, and the wall time of its series. */
type WallTimeReminder = Readonly<{ remind_at: string; wall_time: string }>;

/**
 * The instant (epoch ms) of a wall-time reminder after its user moved to another zone: the same wall time, also on
 * the day to which it was put off. A reminder that was put off by an hour keeps its instant.
 */
export function instantInZone(
  { remind_at, wall_time }: WallTimeReminder,
  { from, to }: Readonly<{ from: string | undefined; to: string }>,
): number {
  const usual = wall_time.replace(" ", "T");
  if (from === undefined) return resolveLocalTime(usual, to);
  const at = Date.parse(timestamp(remind_at));
  const onItsDay = `${wallTimeAt(timestamp(remind_at), from).slice(0, 10)}${usual.slice(10)}`;
  const shown = [usual, onItsDay].find((time) => resolveLocalTime(time, from) === at);
  return shown === undefined ? at : resolveLocalTime(shown, to);
}
