/** True if a day is in the series begun at the anchor, by RFC 5545 §3.3.10 and without the library. */
export function slowMatch(rule: string, anchor: string, date: string): boolean {
  if (date < anchor || isPastUntil(rule, date)) return false;
  const part = partsOf(rule);
  const day = Temporal.PlainDate.from(date);
  const start = Temporal.PlainDate.from(anchor);
  const freq = part.get("FREQ") ?? "";
  if (periodsBetween(freq, start, day) % Number(part.get("INTERVAL") ?? 1) !== 0) return false;
  if (!fits(part, start, day)) return false;
  const places = part.get("BYSETPOS")?.split(",").map(Number);
  if (!places) return true;
  const set = daysOfPeriod(freq, day).filter((one) => fits(part, start, one));
  const at = set.findIndex((one) => one.equals(day));
  return places.includes(at + 1) || places.includes(at - set.length);
}

type Part = Map<string, string>;

const partsOf = (rule: string): Part =>
  new Map(rule.split(";").map((one) => one.split("=") as [string, string]));

/** True if a day is in the set of its period, from which BYSETPOS picks. */
function fits(part: Part, start: Temporal.PlainDate, day: Temporal.PlainDate): boolean {
  const freq = part.get("FREQ") ?? "";
  const byDay = part.get("BYDAY")?.split(",");
  const byMonthDay = part.get("BYMONTHDAY")?.split(",").map(Number);
  const byMonth = part.get("BYMONTH")?.split(",").map(Number);
  if (byMonth && !byMonth.includes(day.month)) return false;
  if (byDay && !byDay.some((one) => onWeekday(one, freq === "YEARLY" && !byMonth, day))) return false;
  if (byMonthDay && !byMonthDay.some((n) => day.day === n || day.day - day.daysInMonth - 1 === n))
    return false;
  return byDay !== undefined || byMonthDay !== undefined || likeTheStart(freq, start, day, byMonth);
}

/** All days of the month, the year or the week from Monday on in which the day lies. */
function daysOfPeriod(freq: string, day: Temporal.PlainDate): Temporal.PlainDate[] {
  if (freq === "DAILY") return [day];
  const [first, length] =
    freq === "YEARLY"
      ? [day.with({ month: 1, day: 1 }), day.daysInYear]
      : freq === "MONTHLY"
        ? [day.with({ day: 1 }), day.daysInMonth]
        : [day.subtract({ days: day.dayOfWeek - 1 }), 7];
  return Array.from({ length }, (_, days) => first.add({ days }));
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

/** `FR` matches every Friday, `-1FR` the last Friday of the month, or of the year. */
function onWeekday(token: string, ofYear: boolean, day: Temporal.PlainDate): boolean {
  if (["MO", "TU", "WE", "TH", "FR", "SA", "SU"][day.dayOfWeek - 1] !== token.slice(-2)) return false;
  if (token.length === 2) return true;
  const [place, length] = ofYear ? [day.dayOfYear, day.daysInYear] : [day.day, day.daysInMonth];
  const ordinal = Number.parseInt(token, 10);
  return ordinal > 0 ? Math.ceil(place / 7) === ordinal : Math.ceil((length - place + 1) / 7) === -ordinal;
}

/** The anchor gives the weekday, the day of the month or of the year when there is neither BYDAY nor BYMONTHDAY. */
function likeTheStart(
  freq: string,
  start: Temporal.PlainDate,
  day: Temporal.PlainDate,
  byMonth?: number[],
): boolean {
  if (freq === "DAILY") return true;
  if (freq === "WEEKLY") return day.dayOfWeek === start.dayOfWeek;
  return day.day === start.day && (freq === "MONTHLY" || byMonth !== undefined || day.month === start.month);
}
