import { expect, test } from "bun:test";
import fc from "fast-check";
import { firstOccurrence, parseRecurrence, successor } from "../../../../shared/domain/todo/recurrence.ts";
import { dueDatesOnTime } from "./series.ts";

/** True if a day is in the series begun at the anchor, by RFC 5545 §3.3.10 and without the library. */
function slowMatch(rule: string, anchor: string, date: string): boolean {
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
function slowSeries(rule: string, anchor: string, lastDay: string): string[] {
  const count = Number(/COUNT=(\d+)/.exec(rule)?.[1] ?? Number.POSITIVE_INFINITY);
  const found = isPastUntil(rule, anchor) ? [] : [anchor];
  for (let day = nextDay(anchor); day <= lastDay && found.length < count; day = nextDay(day)) {
    if (slowMatch(rule, anchor, day)) found.push(day);
  }
  return found;
}

const nextDay = (date: string): string => Temporal.PlainDate.from(date).add({ days: 1 }).toString();

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

const plus = (date: string, days: number): string => Temporal.PlainDate.from(date).add({ days }).toString();

const start = fc
  .tuple(fc.constantFrom("2023-12-25", "2024-02-25", "2026-01-29", "2026-12-28", "2100-02-25"), fc.nat(9))
  .map(([date, days]) => plus(date, days));

const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const someOf = <T>(value: fc.Arbitrary<T>) =>
  fc.array(value, { minLength: 1, maxLength: 4 }).map((all) => all.join());
const monthDay = fc.oneof(
  fc.integer({ min: 1, max: 31 }),
  fc.constantFrom(-1, -2, -28, -29, -30, -31, 29, 30, 31),
);
const weekday = fc.constantFrom("MO", "TU", "WE", "TH", "FR", "SA", "SU");
const numberedWeekday = fc
  .tuple(fc.constantFrom(1, 2, 4, 5, 52, -1, -5, -52), weekday)
  .map(([n, day]) => n + day);

/** Rules of every shape that parse, normalised. Making one costs more than the checks of one, so histories share them. */
const someRules = fc
  .record({
    FREQ: fc.constantFrom("DAILY", "WEEKLY", "MONTHLY", "YEARLY"),
    INTERVAL: rarely(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(7, 12, 13))),
    BYDAY: rarely(someOf(fc.oneof(weekday, numberedWeekday))),
    BYMONTHDAY: rarely(someOf(monthDay)),
    BYMONTH: fc.option(someOf(fc.integer({ min: 1, max: 12 })), { nil: undefined, freq: 2 }),
    BYSETPOS: fc.option(someOf(fc.oneof(fc.constantFrom(1, -1, 2, -2), fc.integer({ min: 1, max: 60 }))), {
      nil: undefined,
      freq: 2,
    }),
    COUNT: rarely(fc.integer({ min: 1, max: 12 })),
    UNTIL: rarely(fc.constantFrom("20240301", "20260630", "20270101T120000Z", "21000301")),
  })
  .map((parts) => Object.entries(parts).filter(([, value]) => value !== undefined))
  .map((parts) => parseRecurrence(parts.map((part) => part.join("=")).join(";")))
  .filter((parsed) => "rule" in parsed)
  .map((parsed) => parsed.rule);
const rule = fc.constantFrom(...fc.sample(someRules, 1_000));

/** Far enough to show that nothing was skipped, and near enough to check day by day. */
const horizonDays = 500;

test("a successor is the first occurrence after the own day, the due date and today, and COUNT what is left", () => {
  const history = fc.tuple(rule, start, fc.integer({ min: -3, max: 9 }), fc.integer({ min: -9, max: 200 }));
  fc.assert(
    fc.property(history, ([rule, anchor, moved, late]) => {
      const [due_date, today] = [plus(anchor, moved), plus(anchor, late)];
      const after = [anchor, due_date, today].sort().at(-1) ?? anchor;
      const horizon = plus(after, horizonDays);
      const matches = slowSeries(rule.replace(/;COUNT=.*/, ""), anchor, horizon).filter((date) =>
        slowMatch(rule, anchor, date),
      );
      const used = 1 + matches.filter((date) => date > anchor && date <= after).length;
      const due = matches.find((date) => date > after);
      const left = Number(/COUNT=(\d+)/.exec(rule)?.[1] ?? used + 1) - used;
      const next = successor({ rule, anchor, recurrence_from: "due", due_date, today });
      if (left < 1) return expect(next).toBeNull();
      if (due === undefined) return expect(next === null || next.due_date > horizon).toBe(true);
      expect(next).toEqual({ due_date: due, rule: rule.replace(/COUNT=.*/, `COUNT=${left}`), anchor: due });
    }),
    { numRuns: 200 },
  );
});

const lengths: Readonly<Record<string, "days" | "weeks" | "months" | "years">> = {
  ...{ DAILY: "days", WEEKLY: "weeks", MONTHLY: "months", YEARLY: "years" },
};

/**
 * The next day from completion, as the rule of docs/recurrence.md has it: without days the interval later; with days
 * the first of this period after completion and the due date, else of the periods that are one interval apart.
 */
function slowFromCompletion(rule: string, done: string, due: string, horizon: string): string | undefined {
  const part = partsOf(rule);
  const freq = part.get("FREQ") ?? "";
  const interval = Number(part.get("INTERVAL") ?? 1);
  const day = Temporal.PlainDate.from(done);
  const inPeriods = (many: number) => day.add({ [lengths[freq] ?? "days"]: many });
  const named = ["BYDAY", "BYMONTHDAY", "BYMONTH"].filter((name) => part.has(name));
  if (named.length === 0) return inPeriods(interval).toString();
  const months = part.get("BYMONTH")?.split(",").map(Number) ?? [];
  const isDay = (one: Temporal.PlainDate) =>
    named.join() === "BYMONTH" && /^(MONTH|YEAR)LY$/.test(freq)
      ? months.includes(one.month) && one.day === Math.min(day.day, one.daysInMonth)
      : fits(part, day, one);
  for (let at = 0; ; at += interval) {
    const period = daysOfPeriod(freq, inPeriods(at));
    if (String(period[0]) > horizon) return undefined;
    const isDuePeriod = at === 0 && period.some((one) => one.toString() === due);
    const set = period.filter(isDay);
    const places = part.get("BYSETPOS")?.split(",").map(Number);
    const picked = set.filter((_, n) => !places || places.includes(n + 1) || places.includes(n - set.length));
    const found = picked.map(String).find((one) => one > done && !(isDuePeriod && one <= due));
    if (found) return found;
  }
}

test("from completion, a successor is the day that docs/recurrence.md describes", () => {
  const [near, far] = [fc.integer({ min: -40, max: 40 }), fc.integer({ min: -400, max: 60 })];
  fc.assert(
    fc.property(rule, start, fc.oneof(near, far), (rule, due_date, late) => {
      const today = plus(due_date, late);
      const horizon = plus(today, horizonDays);
      const due = slowFromCompletion(rule, today, due_date, horizon);
      const next = successor({ rule, anchor: due_date, recurrence_from: "completion", due_date, today });
      const found = next && next.due_date <= horizon ? next.due_date : undefined;
      const isOver = /COUNT=1$/.test(rule) || (due !== undefined && isPastUntil(rule, due));
      expect(found).toBe(isOver || (due ?? "") > horizon ? undefined : due);
    }),
    { numRuns: Number(Bun.env.LIVES ?? 2_000) },
  );
});

test("a chain of todos done on time is the whole series: none twice, none left out, COUNT of them", () => {
  fc.assert(
    fc.property(rule, start, (rule, anchor) => {
      const chain = dueDatesOnTime(rule, anchor, 12);
      const last = chain.at(-1) ?? anchor;
      fc.pre(last < plus(anchor, 2_000));
      expect(chain.slice(1)).toEqual(slowSeries(rule, anchor, last).slice(1));
    }),
    { numRuns: 200 },
  );
});

test("a todo without a due date gets the first day from today on that the rule matches", () => {
  fc.assert(
    fc.property(rule, start, (rule, today) => {
      const first = firstOccurrence(rule, today);
      const days = Array.from({ length: horizonDays }, (_, day) => plus(today, day));
      const expected = days.find((day) => slowMatch(rule, today, day));
      expect(first !== null && first < plus(today, horizonDays) ? first : undefined).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test("any text is answered, quickly, with a rule that parses to itself or with one sentence", () => {
  const fragment = fc.constantFrom(
    ..."RRULE: FREQ = DAILY MONTHLY YEARLY ; INTERVAL BYDAY BYMONTHDAY BYMONTH BYSETPOS WKST UNTIL COUNT , - + 1MO 31 20261231 999 ſ İ".split(
      " ",
    ),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fragment, { maxLength: 60 }).map((all) => all.join("")),
    rule,
  );
  fc.assert(
    fc.property(text, (text) => {
      // Time of the processor, because other processes lengthen any other.
      const began = process.cpuUsage();
      const parsed = parseRecurrence(text);
      expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
      if ("error" in parsed) return expect(parsed.error).toMatch(/^The recurrence field must [^.]+\.$/);
      expect(parseRecurrence(parsed.rule)).toEqual(parsed);
    }),
    { numRuns: 1_000 },
  );
});

const everyWeekday = "MO,TU,WE,TH,FR,SA,SU";
const numbered = (numbers: number[]): string =>
  numbers.map((n) => everyWeekday.replaceAll(/[A-Z]+/g, (day) => n + day)).join();
const everyNumbered = numbered([1, 2, 3, 4, 5, -1, -2, -3, -4, -5]);

const days = (from: number, count: number): string =>
  Array.from({ length: count }, (_, n) => n + from).join();

test.each([
  // Begun on a month that never has the day, and on one with one of two numbers.
  [`FREQ=MONTHLY;INTERVAL=12;BYDAY=${everyNumbered};BYMONTHDAY=31`, "2026-11-01"],
  [`FREQ=MONTHLY;INTERVAL=12;BYDAY=${numbered([5, -5])};BYMONTHDAY=${days(2, 27)}`, "2026-02-01"],
  // Rules that meet no weekday, or their weekday but not their date.
  ["FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2026-05-04"],
  ["FREQ=DAILY;INTERVAL=773;BYDAY=TU;BYMONTHDAY=31", "2026-05-04"],
  // Weeks and years to pick days from, long ago.
  [`FREQ=WEEKLY;BYDAY=${everyWeekday};BYMONTH=1;BYSETPOS=7;COUNT=1000`, "1600-02-29"],
  [`FREQ=YEARLY;BYDAY=${everyWeekday};BYSETPOS=${days(1, 60)};COUNT=1000`, "1600-02-29"],
  // Days to count one by one: many, rare, numbered, and all of a year.
  ["FREQ=DAILY;COUNT=1000", "2006-01-01"],
  ["FREQ=DAILY;BYMONTHDAY=29;BYMONTH=2;COUNT=1000", "1600-02-29"],
  ["FREQ=DAILY;INTERVAL=12;BYMONTHDAY=29,30,-1;COUNT=1000", "1600-02-29"],
  [`FREQ=MONTHLY;BYDAY=${everyNumbered};BYMONTHDAY=1;COUNT=1000`, "1600-01-31"],
  [`FREQ=YEARLY;BYDAY=${everyWeekday};BYMONTHDAY=31;COUNT=1000`, "1600-02-29"],
])("the rule %s, begun on %s, costs a worker little", (text, anchor) => {
  const parsed = parseRecurrence(text);
  if ("error" in parsed) throw new Error(parsed.error);
  const completed = {
    ...parsed,
    anchor,
    due_date: anchor,
    recurrence_from: "due",
    today: "2026-11-21",
  } as const;
  const costs = Array.from({ length: 10 }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < 10; round++) expect(successor(completed)).toBeNull();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 10;
  });
  // An unbounded search takes 12 to 2,500 ms of processor time, a bounded one 1 or 2. The machine is shared, so the least of ten counts.
  expect(Math.min(...costs)).toBeLessThan(10_000);
});
