/** Whether one day is in the series begun at the anchor, by RFC 5545 §3.3.10 and without the library. */
export function slowMatch(rule: string, anchor: string, date: string): boolean {
  if (date < anchor) return false;
  const part = new Map(rule.split(";").map((one) => one.split("=") as [string, string]));
  if (isPastUntil(rule, date)) return false;
  const day = Temporal.PlainDate.from(date);
  const start = Temporal.PlainDate.from(anchor);
  const freq = part.get("FREQ") ?? "";
  if (periodsBetween(freq, start, day) % Number(part.get("INTERVAL") ?? 1) !== 0) return false;
  const byDay = part.get("BYDAY")?.split(",");
  const byMonthDay = part.get("BYMONTHDAY")?.split(",").map(Number);
  if (byDay && !byDay.some((one) => onWeekday(one, freq, day))) return false;
  if (byMonthDay && !byMonthDay.some((n) => day.day === n || day.day - day.daysInMonth - 1 === n))
    return false;
  return byDay !== undefined || byMonthDay !== undefined || likeTheStart(freq, start, day);
}

/** The occurrences from the anchor up to a date. The anchor is the first one, even when the rule does not match it. */
export function slowSeries(rule: string, anchor: string, lastDay: string): string[] {
  const count = Number(/COUNT=(\d+)/.exec(rule)?.[1] ?? Number.POSITIVE_INFINITY);
  const found = isPastUntil(rule, anchor) ? [] : [anchor];
  for (let day = nextDay(anchor); day <= lastDay && found.length < count; day = nextDay(day)) {
    if (slowMatch(rule, anchor, day)) found.push(day);
  }
  return found;
}

export const nextDay = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

function isPastUntil(rule: string, date: string): boolean {
  const until = /UNTIL=(\d+)/.exec(rule)?.[1];
  return until !== undefined && date.replaceAll("-", "") > until;
}

function periodsBetween(freq: string, start: Temporal.PlainDate, day: Temporal.PlainDate): number {
  if (freq === "YEARLY") return day.year - start.year;
  if (freq === "MONTHLY") return (day.year - start.year) * 12 + day.month - start.month;
  if (freq === "DAILY") return start.until(day).days;
  const monday = start.subtract({ days: start.dayOfWeek - 1 });
  return Math.floor(monday.until(day).days / 7);
}

/** `FR` matches every Friday, `-1FR` the last Friday of the month, or of the year when that is the period. */
function onWeekday(token: string, freq: string, day: Temporal.PlainDate): boolean {
  if (["MO", "TU", "WE", "TH", "FR", "SA", "SU"][day.dayOfWeek - 1] !== token.slice(-2)) return false;
  if (token.length === 2) return true;
  const [place, length] = freq === "YEARLY" ? [day.dayOfYear, day.daysInYear] : [day.day, day.daysInMonth];
  const ordinal = Number.parseInt(token, 10);
  return ordinal > 0 ? Math.ceil(place / 7) === ordinal : Math.ceil((length - place + 1) / 7) === -ordinal;
}

/** The anchor gives the weekday, the day of the month or of the year when there is neither BYDAY nor BYMONTHDAY. */
function likeTheStart(freq: string, start: Temporal.PlainDate, day: Temporal.PlainDate): boolean {
  if (freq === "DAILY") return true;
  if (freq === "WEEKLY") return day.dayOfWeek === start.dayOfWeek;
  return day.day === start.day && (freq === "MONTHLY" || day.month === start.month);
}
