import { resolveLocalTime } from "../../../../shared/domain/day/day.ts";

/** Dates and times as lines have them (RFC 5545 §3.3). */

const bare = (text: string): string => text.replaceAll(/[-:]/g, "");

/** An instant (RFC 3339 in UTC) to the second: `20261201T133000Z`. */
export const utcTime = (instant: string): string => `${bare(instant.slice(0, 19))}Z`;

export const dateLine = (name: string, date: string): string => `${name};VALUE=DATE:${bare(date)}`;

/** The instant of a due time, which is the same for every reader. */
export const instantOf = (date: string, time: string, timeZone: string): string =>
  utcTime(new Date(resolveLocalTime(`${date}T${time}`, timeZone)).toISOString());

/** A wall time, which a repetition keeps when the zone's clock changes. */
export const wallTimeLine = (
  name: string,
  { date, time, timeZone }: Readonly<{ date: string; time: string; timeZone: string }>,
): string => `${name};TZID=${timeZone}:${bare(`${date}T${time}`)}00`;
