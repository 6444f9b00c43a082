/**
 * The first minute of a date at which its clock shows a time, or has passed it because that minute is skipped. This
 * is a slow, plain search.
 */
export function firstMinute(date: string, time: string, timeZone: string): number {
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const midnight = Date.parse(`${date}T00:00:00Z`);
  for (let at = midnight - 15 * 3_600_000; ; at += 60_000)
    if (clock.format(at) >= `${date} ${time}`) return at;
}
