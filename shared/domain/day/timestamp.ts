/**
 * PostgreSQL's `2026-11-20 09:15:02.1042+00` as `2026-11-20T09:15:02.104200Z`: a Date would lose the microseconds.
 * @throws RangeError for another offset than UTC's, because cutting it off would change the time
 */
export function timestamp(stored: string): string {
  const zone = zones.find((ending) => stored.endsWith(ending));
  if (zone === undefined) throw new RangeError(`PostgreSQL gave ${stored}, which is not in UTC.`);
  const time = stored.slice(11, -zone.length);
  return `${stored.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(15, "0")}Z`;
}

/** Rows have `+00`, PostgreSQL's JSON has `+00:00`, and handlers write `Z`. */
const zones = ["+00", "+00:00", "Z"] as const;
