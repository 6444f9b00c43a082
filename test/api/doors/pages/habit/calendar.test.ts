import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  calendarDays,
  calendarWeeks,
  firstCalendarDay,
  levelOf,
  monthlyCounts,
  yearPicture,
} from "../../../../../api/doors/pages/habit/calendar.ts";
import { inLocaleOf } from "../../../../../api/web/locale.ts";
import { addDays, dateOfDay, dayNumber, isoWeekday } from "../../../../../shared/domain/day/day.ts";
import { markup } from "../../../../../shared/html.ts";

const anyDay = fc.integer({ min: 0, max: 40_000 }).map(dateOfDay);

test("the calendar has each day of a year once, in the row of its weekday, and ends today", () => {
  fc.assert(
    fc.property(anyDay, (today) => {
      const days = calendarDays(today);
      expect([days[0]?.date, days.at(-1)?.date]).toEqual([firstCalendarDay(today), today]);
      expect(days[0]?.row).toBe(0);
      expect(days.length).toBeWithin(365, 372);
      expect(days.at(-1)?.column).toBe(calendarWeeks - 1);
      days.forEach(({ date, row, column }, index) => {
        expect(date).toBe(addDays(firstCalendarDay(today), index));
        expect([row, column]).toEqual([isoWeekday(dayNumber(date)) - 1, Math.floor(index / 7)]);
      });
    }),
    { numRuns: 20 },
  );
});

test("the year of a browser whose weeks begin on Sunday has Sunday on top", () => {
  const headers = new Headers({ "accept-language": "en-US" });
  const [first] = inLocaleOf({ headers }, () => calendarDays("2026-11-25"));
  expect(first).toEqual({ date: "2025-11-23", column: 0, row: 0 });
});

test.each([
  [0, 0, 0],
  [0, 9, 0],
  [1, 1, 4],
  [1, 4, 1],
  [2, 4, 2],
  [3, 4, 3],
  [4, 4, 4],
  [1, 30, 1],
])("%d of at most %d is drawn as level %d", (done, most, level) => {
  expect(levelOf(done, most)).toBe(level);
});

test("what the squares show is told by month, and days before the habit are not gaps", () => {
  const done = new Map([
    ["2026-11-20", 1],
    ["2026-11-21", 1],
    ["2026-10-31", 1],
  ]);
  const today = "2026-11-22";
  const months = monthlyCounts(calendarDays(today), done);
  expect(months.map(({ done }) => done).reduce((a, b) => a + b)).toBe(3);
  const sayDone = (times: number) => (times > 0 ? "done" : "not done");
  const picture = markup(yearPicture({ title: "3 days", today, done, since: "2026-10-30", sayDone }));
  expect(picture).toContain("By month. October 2026: 1, November 2026: 2.");
  expect(picture).toContain("<title>Fri 20 Nov: done</title>");
  expect(picture.match(/class="l4/g)).toHaveLength(3);
  expect(picture.match(/class="l0"/g)).toHaveLength(20); // from 30 October on, without those done and today
  expect(picture.match(/class="l0 now"/g)).toHaveLength(1);
  expect(picture).not.toContain("style=");
});

test("paused and skipped days have a mark of their own, a legend and their number, unless they were done", () => {
  const today = "2026-11-22";
  const year = { title: "1 day", today, done: new Map([["2026-11-20", 1]]), sayDone: () => "not done" };
  const free = new Set(["2026-11-19", "2026-11-20", "2026-11-21"]);
  const picture = markup(yearPicture({ ...year, free }));
  expect(picture).toContain("paused or skipped, 2 days");
  expect(picture.match(/<title>[^<]*paused or skipped/g)).toHaveLength(2);
  expect(picture.match(/class="l0 free" x="\d+" y="\d+"\n/g)).toHaveLength(2);
  expect(markup(yearPicture(year))).not.toContain("paused or skipped");
});
