/** Series in the feed follow the zone's clock for this long. */
const years = 10;

/**
 * A time zone (RFC 5545 §3.6.5) from an instant on: first the offset, then each change of its clock. Each change
 * has its own lines, because ical.js reads only one date of RDATE.
 */
export function timeZoneLines(timeZone: string, instant: number): string[] {
  const start = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  const end = start.add({ years }).epochMilliseconds;
  const offset = start.offsetNanoseconds;
  const lines = observanceLines("19700101T000000", offset, offset);
  for (let at = changeAfter(start); at && at.epochMilliseconds < end; at = changeAfter(at)) {
    const before = at.subtract({ nanoseconds: 1 }).offsetNanoseconds;
    const local = new Date(at.epochMilliseconds + before / 1e6).toISOString().slice(0, 19);
    lines.push(...observanceLines(local.replaceAll(/[-:]/g, ""), before, at.offsetNanoseconds));
  }
  return ["BEGIN:VTIMEZONE", `TZID:${timeZone}`, ...lines, "END:VTIMEZONE"];
}

const changeAfter = (time: Temporal.ZonedDateTime): Temporal.ZonedDateTime | null =>
  time.getTimeZoneTransition("next");

/** @param local the time of the change by the clock before it */
function observanceLines(local: string, before: number, after: number): string[] {
  const name = after > before ? "DAYLIGHT" : "STANDARD";
  return [
    `BEGIN:${name}`,
    `DTSTART:${local}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${name}`,
  ];
}

/** `+0530`; present zones have whole minutes. */
function offsetText(nanoseconds: number): string {
  const minutes = Math.abs(Math.round(nanoseconds / 6e10));
  const digits = [Math.floor(minutes / 60), minutes % 60].map((number) => String(number).padStart(2, "0"));
  return `${nanoseconds < 0 ? "-" : "+"}${digits.join("")}`;
}
