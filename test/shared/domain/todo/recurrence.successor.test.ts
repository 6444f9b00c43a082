import { expect, test } from "bun:test";
import { firstOccurrence, successor } from "../../../../shared/domain/todo/recurrence.ts";

const weekly = "FREQ=WEEKLY;COUNT=5";
const thirdMonth20th = "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=20";
const yearly31st = "FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31";

/** Rule, day of completion, the next due date and what is left of COUNT; then due date and anchor, if not the 4th. */
type Case = [name: string, todo: string, own?: { due_date?: string; anchor?: string }];

const fromDue: Case[] = [
  ["missed days are used up by COUNT", "FREQ=DAILY;COUNT=5 2026-05-06: 2026-05-07, 2 left"],
  ["a series missed to its end is over", "FREQ=DAILY;COUNT=5 2026-05-08: none"],
  ["INTERVAL keeps its phase", "FREQ=DAILY;INTERVAL=3 2026-05-11: 2026-05-13"],
  ["every other week stays in its weeks", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO 2026-05-12: 2026-05-18"],
  ["done early, the next follows the due date", "FREQ=WEEKLY 2026-05-01: 2026-05-11"],
  ["UNTIL includes its day", "FREQ=DAILY;UNTIL=20260510 2026-05-09: 2026-05-10"],
  ["after UNTIL there is none", "FREQ=DAILY;UNTIL=20260510 2026-05-10: none"],
  ["a start off the rule counts", "FREQ=WEEKLY;BYDAY=FR;COUNT=2 2026-05-04: 2026-05-08, 1 left"],
  ["the rule never meets its phase", "FREQ=DAILY;INTERVAL=7;BYDAY=TU 2026-05-04: none"],
  ["no month of the phase has a 31st", `${yearly31st} 2026-06-01: none`, { anchor: "2026-06-01" }],
  ["COUNT is counted over ten years", "FREQ=MONTHLY;COUNT=200 2036-04-20: 2036-05-04, 80 left"],
  ["and a series that is later than that is over", "FREQ=MONTHLY;COUNT=200 2037-04-20: none"],
  ["without COUNT no lateness ends a series", "FREQ=MONTHLY 2526-04-20: 2526-05-04"],
  ["put off, its series stays", `${weekly} 2026-05-06: 2026-05-11, 4 left`, { due_date: "2026-05-06" }],
  ["put off past the next", `${weekly} 2026-05-06: 2026-05-18, 3 left`, { due_date: "2026-05-12" }],
  ["moved and done before its day", `${weekly} 2026-05-02: 2026-05-11, 4 left`, { due_date: "2026-05-02" }],
  ["moved and done after its day", `${weekly} 2026-05-05: 2026-05-11, 4 left`, { due_date: "2026-05-02" }],
];

const fromCompletion: Case[] = [
  ["done late", "FREQ=DAILY;INTERVAL=3 2026-05-10: 2026-05-13"],
  ["done early", "FREQ=DAILY;INTERVAL=3 2026-05-03: 2026-05-06"],
  ["put off, and done before", "FREQ=DAILY;INTERVAL=3 2026-05-03: 2026-05-06", { due_date: "2026-05-27" }],
  ["done long before its day", "FREQ=MONTHLY;INTERVAL=3 2025-12-17: 2026-03-17"],
  ["ticked twice on one day", "FREQ=DAILY;INTERVAL=30 2026-04-04: 2026-05-04"],
  ["done on another weekday", "FREQ=WEEKLY 2026-05-06: 2026-05-13"],
  ["a later day of the week", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH 2026-05-13: 2026-05-14"],
  [
    "its day of the week",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH 2026-05-13: 2026-05-28",
    { due_date: "2026-05-14" },
  ],
  ["its day of the month", `${thirdMonth20th} 2026-05-16: 2026-08-20`, { due_date: "2026-05-20" }],
  ["a day of the month missed", `${thirdMonth20th} 2026-05-16: 2026-05-20`, { due_date: "2026-02-20" }],
  ["its weekday of the month", "FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO 2026-05-03: 2026-08-03"],
  ["a year from a leap day", "FREQ=YEARLY 2028-02-29: 2029-02-28"],
  ["six months from a 31st", "FREQ=MONTHLY;INTERVAL=6 2027-08-31: 2028-02-29"],
  ["three months from a 30th", "FREQ=MONTHLY;INTERVAL=3 2027-11-30: 2028-02-29"],
  ["a month from a 31st", "FREQ=MONTHLY 2026-01-31: 2026-02-28"],
  ["the named month has no 31st", "FREQ=YEARLY;BYMONTH=6 2026-05-31: 2026-06-30"],
  ["only completed todos use up COUNT", "FREQ=DAILY;COUNT=5 2026-05-20: 2026-05-21, 4 left"],
  ["the last of COUNT", "FREQ=DAILY;COUNT=1 2026-05-20: none"],
  ["the next would be after UNTIL", "FREQ=DAILY;INTERVAL=3;UNTIL=20260512 2026-05-10: none"],
  ["the next month would be", "FREQ=MONTHLY;BYMONTHDAY=9;UNTIL=20260531 2026-05-10: none"],
];

test.each([
  ...fromDue.map((one) => ["due", ...one] as const),
  ...fromCompletion.map((one) => ["completion", ...one] as const),
])("from %s: %s (%s)", (recurrence_from, _, todo, own = {}) => {
  const [, rule = "", today = "", expected] = /^(\S+) (\S+): (.*)$/.exec(todo) ?? [];
  const completed = { anchor: "2026-05-04", due_date: "2026-05-04", ...own };
  const found = successor({ ...completed, rule, today, recurrence_from });
  const left = found?.rule.match(/COUNT=(\d+)/)?.[1];
  expect(found ? found.due_date + (left === undefined ? "" : `, ${left} left`) : "none").toBe(expected ?? "");
});

test("the first occurrence may be the very day, and is none after UNTIL", () => {
  expect(firstOccurrence("FREQ=WEEKLY;BYDAY=MO", "2026-05-04")).toBe("2026-05-04");
  expect(firstOccurrence("FREQ=WEEKLY;BYDAY=MO", "2026-05-05")).toBe("2026-05-11");
  expect(firstOccurrence("FREQ=MONTHLY", "2026-05-05")).toBe("2026-05-05");
  expect(firstOccurrence("FREQ=DAILY;UNTIL=20260504", "2026-05-05")).toBeNull();
});
