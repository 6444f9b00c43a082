import { expect, test } from "bun:test";
import { parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";

test.each([
  ["FREQ=WEEKLY;BYDAY=MO,WE,FR", "FREQ=WEEKLY;BYDAY=MO,WE,FR"],
  ["rrule:freq=weekly;byday=fr,mo,fr", "FREQ=WEEKLY;BYDAY=MO,FR"],
  [" COUNT=003;INTERVAL=2;FREQ=DAILY ", "FREQ=DAILY;INTERVAL=2;COUNT=3"],
  ["FREQ=MONTHLY;BYDAY=+1FR,-1MO", "FREQ=MONTHLY;BYDAY=-1MO,1FR"],
  ["FREQ=MONTHLY;BYMONTHDAY=15,-1,+1", "FREQ=MONTHLY;BYMONTHDAY=-1,1,15"],
  ["FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYDAY=20MO"],
  ["FREQ=DAILY;UNTIL=20261231T235959Z", "FREQ=DAILY;UNTIL=20261231"],
  ["FREQ=DAILY;INTERVAL=1", "FREQ=DAILY;INTERVAL=1"],
  ["FREQ=DAILY;", "FREQ=DAILY"],
  ["RRULE:FREQ=WEEKLY;WKST=MO;BYDAY=MO;", "FREQ=WEEKLY;BYDAY=MO"],
  ["FREQ=WEEKLY;INTERVAL=1;WKST=SU;BYDAY=MO", "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO"],
  ["FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=TU,TH", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH"],
  ["FREQ=MONTHLY;WKST=SA;INTERVAL=2", "FREQ=MONTHLY;INTERVAL=2"],
  ["FREQ=YEARLY;BYMONTHDAY=5;BYMONTH=03,11,3", "FREQ=YEARLY;BYMONTHDAY=5;BYMONTH=3,11"],
  ["FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "FREQ=YEARLY;BYDAY=4TH;BYMONTH=11"],
  ["FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
])("%s is kept as %s", (text, rule) => {
  expect(parseRecurrence(text)).toEqual({ rule });
});

const shape =
  "be an RRULE of FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, UNTIL, COUNT, such as FREQ=WEEKLY;BYDAY=MO";
const weekdays = "have weekdays such as MO,FR or 1MO,-1FR in BYDAY";

test.each([
  ["", shape],
  ["daily", shape],
  ["FREQ=DAILY;;", shape],
  ["FREQ=YEARLY;BYWEEKNO=3", `have no BYWEEKNO, and ${shape}`],
  ["FREQ=YEARLY;BYMONTH=13", "have months from 1 to 12 in BYMONTH"],
  ["FREQ=YEARLY;BYMONTH=-1", "have months from 1 to 12 in BYMONTH"],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "have positions from 1 to 366 or -366 to -1 in BYSETPOS"],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", "have positions from 1 to 366 or -366 to -1 in BYSETPOS"],
  ["FREQ=MONTHLY;BYSETPOS=1", "have BYDAY, BYMONTHDAY or BYMONTH with BYSETPOS"],
  ["FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=3", "have a position in BYSETPOS that its period reaches"],
  ["FREQ=DAILY;BYDAY=MO;BYSETPOS=2", "have a position in BYSETPOS that its period reaches"],
  ["FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "match some date"],
  ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "match some date"],
  ["FREQ=YEARLY;BYMONTH=3;BYDAY=6MO", "have weekdays numbered up to 5 with FREQ=YEARLY and BYMONTH"],
  ["FREQ=WEEKLY;WKST=XX", "have a weekday such as MO in WKST"],
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "have no WKST=SU here, because weeks begin on Monday"],
  ["FREQ=DAILY;BYHOUR=9;BYMINUTE=0", `have no BYHOUR, and ${shape}`],
  ["FREQ=DAILY;__PROTO__=1", shape],
  ["FREQ=DAILY;COUNT=2=3", shape],
  ["FREQ=HOURLY", "have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY"],
  ["COUNT=3", "have FREQ=DAILY, WEEKLY, MONTHLY or YEARLY"],
  ["FREQ=DAILY;FREQ=WEEKLY", "have FREQ only once"],
  ["FREQ=DAILY;INTERVAL=0", "have an INTERVAL from 1 to 1000"],
  ["FREQ=DAILY;INTERVAL=1001", "have an INTERVAL from 1 to 1000"],
  ["FREQ=DAILY;COUNT=0", "have a COUNT from 1 to 1000"],
  ["FREQ=DAILY;COUNT=1e2", "have a COUNT from 1 to 1000"],
  ["FREQ=DAILY;COUNT=3;UNTIL=20261231", "have UNTIL or COUNT, not both"],
  ["FREQ=DAILY;UNTIL=20260230", "have a date such as 20261231 in UNTIL"],
  ["FREQ=DAILY;UNTIL=2026-12-31", "have a date such as 20261231 in UNTIL"],
  ["FREQ=WEEKLY;BYDAY=", weekdays],
  ["FREQ=WEEKLY;BYDAY=MON", weekdays],
  ["FREQ=MONTHLY;BYDAY=0MO", weekdays],
  ["FREQ=MONTHLY;BYDAY=6MO", "have weekdays numbered up to 5 with FREQ=MONTHLY"],
  ["FREQ=YEARLY;BYDAY=53MO", "have weekdays numbered up to 52 with FREQ=YEARLY"],
  ["FREQ=YEARLY;BYDAY=1MO,TU", "have no other days beside the numbered weekdays of FREQ=YEARLY"],
  ["FREQ=YEARLY;BYDAY=1MO;BYMONTHDAY=3", "have no other days beside the numbered weekdays of FREQ=YEARLY"],
  ["FREQ=WEEKLY;BYDAY=1MO", "have numbered weekdays only with FREQ=MONTHLY or YEARLY"],
  ["FREQ=WEEKLY;BYMONTHDAY=1", "not have BYMONTHDAY with FREQ=WEEKLY"],
  ["FREQ=MONTHLY;BYMONTHDAY=32", "have days from 1 to 31 or -31 to -1 in BYMONTHDAY"],
  ["FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=31", "match some date"],
])("%s is refused", (text, demand) => {
  expect(parseRecurrence(text)).toEqual({ error: `The recurrence field must ${demand}.` });
});

test("a text of more than 500 characters is refused unread", () => {
  const text = `FREQ=WEEKLY;BYDAY=${"MO,".repeat(200)}MO`;
  expect(parseRecurrence(text)).toEqual({ error: "The recurrence field must have at most 500 characters." });
});
