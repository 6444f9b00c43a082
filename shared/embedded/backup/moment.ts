/**
 * Reads a moment as ISO text in UTC with microseconds, which PostgreSQL has and a Date lacks. The texts sort by time.
 * Without an offset, text is in this machine's zone.
 * @throws when it is no time
 */
export function momentOf(text: string): string {
  const written = text.trim().replace(" ", "T");
  try {
    const instant = /(z|[+-]\d\d:?\d\d)$/i.test(written)
      ? Temporal.Instant.from(written)
      : Temporal.PlainDateTime.from(written).toZonedDateTime(Temporal.Now.timeZoneId()).toInstant();
    return isoOf(instant);
  } catch {
    throw new Error(`--to must be a time such as 2026-11-22T08:55:00Z or "2026-11-22 09:55", not "${text}".`);
  }
}

export const presentMoment = (): string => isoOf(Temporal.Now.instant());

const isoOf = (instant: Temporal.Instant): string => instant.toString({ fractionalSecondDigits: 6 });

/** SQL that writes a PostgreSQL time as a moment. */
export const sqlMoment = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A moment for a setting of PostgreSQL, which accepts no zone names there. */
export const settingMoment = (moment: string): string => moment.replace("T", " ").replace("Z", "+00");

export const stampOf = (moment: Date): string => moment.toISOString().replaceAll(":", "-");
