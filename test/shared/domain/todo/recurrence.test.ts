import { afterEach, expect, test } from "bun:test";
import { dueDatesOnTime } from "./series.ts";

/** Examples of RFC 5545 §3.8.5.3 that keep to the supported parts, by their dates. */
const examples = [
  ["FREQ=DAILY;COUNT=4", "1997-09-02 1997-09-03 1997-09-04 1997-09-05 end"],
  ["FREQ=DAILY;UNTIL=19970904T000000Z", "1997-09-02 1997-09-03 1997-09-04 end"],
  ["FREQ=DAILY;INTERVAL=2", "1997-09-02 1997-09-04 1997-09-06"],
  ["FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12 end"],
  ["FREQ=WEEKLY", "1997-09-02 1997-09-09 1997-09-16"],
  ["FREQ=WEEKLY;BYDAY=TU,TH;COUNT=5", "1997-09-02 1997-09-04 1997-09-09 1997-09-11 1997-09-16 end"],
  [
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;UNTIL=19970919",
    "1997-09-01 1997-09-03 1997-09-05 1997-09-15 1997-09-17 1997-09-19 end",
  ],
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;COUNT=4", "1997-08-05 1997-08-10 1997-08-19 1997-08-24 end"],
  ["FREQ=MONTHLY;BYDAY=1FR;COUNT=3", "1997-09-05 1997-10-03 1997-11-07 end"],
  ["FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU", "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04"],
  ["FREQ=MONTHLY;BYDAY=-2MO", "1997-09-22 1997-10-20 1997-11-17 1997-12-22"],
  ["FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26"],
  ["FREQ=MONTHLY;BYMONTHDAY=2,15", "1997-09-02 1997-09-15 1997-10-02 1997-10-15"],
  ["FREQ=MONTHLY;BYMONTHDAY=1,-1", "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30"],
  ["FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,15", "1997-09-10 1997-09-15 1999-03-10 1999-03-15"],
  ["FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", "1997-09-23 1997-09-30 1997-11-04 1997-11-11"],
  ["FREQ=YEARLY;BYDAY=20MO", "1997-05-19 1998-05-18 1999-05-17"],
  ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"],
  ["FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", "1997-09-13 1997-10-11 1997-11-08 1997-12-13"],
  ["FREQ=YEARLY;BYMONTH=6,7;COUNT=4", "1997-06-10 1997-07-10 1998-06-10 1998-07-10 end"],
  ["FREQ=YEARLY;INTERVAL=2;BYMONTH=1,2,3", "1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10"],
  ["FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997-03-13 1997-03-20 1997-03-27 1998-03-05 1998-03-12"],
  ["FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "1997-11-27 1998-11-26 1999-11-25"],
  ["FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05 2000-11-07 2004-11-02"],
  ["FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04 1997-10-07 1997-11-06 end"],
  ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29 1997-10-30 1997-11-27 1997-12-30"],
  ["FREQ=DAILY;BYMONTH=1;UNTIL=20000131T140000Z", "1998-01-30 1998-01-31 1999-01-01 1999-01-02"],
  ["FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1;WKST=MO;", "1997-09-05 1997-09-12 1997-09-19"],
  ["FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15 2007-01-30 2007-02-15 2007-03-15 2007-03-30 end"],
] as const;

/** Month ends and leap days: a missing date is skipped, never moved. */
const calendar = [
  ["FREQ=MONTHLY", "2026-01-31 2026-03-31 2026-05-31 2026-07-31 2026-08-31 2026-10-31"],
  ["FREQ=MONTHLY", "2026-01-30 2026-03-30 2026-04-30"],
  ["FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31 2026-02-28 2026-03-31 2026-04-30"],
  ["FREQ=YEARLY", "2024-02-29 2028-02-29 2032-02-29"],
  ["FREQ=YEARLY", "2096-02-29 2104-02-29"],
  ["FREQ=MONTHLY;INTERVAL=12", "2024-02-29 2028-02-29"],
  ["FREQ=DAILY", "2028-02-28 2028-02-29 2028-03-01"],
  ["FREQ=WEEKLY", "2026-12-28 2027-01-04 2027-01-11"],
  ["FREQ=DAILY", "9999-12-30 9999-12-31 end"],
] as const;

test.each([...examples, ...calendar])("%s, each done on its day: %s", (text, dates) => {
  const expected = dates.split(" ");
  const [start = "", ...rest] = expected;
  const due = dueDatesOnTime(text, start, expected.at(-1) === "end" ? rest.length + 10 : expected.length);
  expect(due).toEqual(expected.filter((date) => date !== "end"));
});

test("no zone takes part: a series runs through every kind of DST change the same", () => {
  const dates = ["2011-12-29", "2026-03-07", "2026-03-28", "2026-04-04", "2026-10-03", "2026-10-24"];
  const plain = dates.map((start) => dueDatesOnTime("FREQ=DAILY", start, 4));
  expect(plain[0]).toEqual(["2011-12-29", "2011-12-30", "2011-12-31", "2012-01-01"]);
  const inZones = ["Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Pacific/Apia"].map((zone) => {
    process.env.TZ = zone;
    expect(Temporal.Now.timeZoneId()).toBe(zone);
    return dates.map((start) => dueDatesOnTime("FREQ=DAILY", start, 4));
  });
  expect(inZones).toEqual([plain, plain, plain, plain]);
});

afterEach(() => {
  process.env.TZ = "UTC"; // The zone that bun test sets.
});
