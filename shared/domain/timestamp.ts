/**
 * PostgreSQL's `2026-11-20 09:15:02.1042+00` as `2026-11-20T09:15:02.104200Z`: a Date would lose the microseconds.
 * @throws RangeError when the offset is not UTC's: cutting it off would turn a right time into a wrong one
 */
export function timestamp(stored: string): string {
  // Rows have `+00`, PostgreSQL's JSON has `+00:00`, and handlers write `Z`.
  if (!/(\+00(:00)?|Z)$/.test(stored))
    throw new RangeError(`PostgreSQL gave ${stored}, which is not in UTC.`);
  const fraction = /\.(\d+)/.exec(stored)?.[1] ?? "";
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(6, "0")}Z`;
}
