import { expect, test } from "bun:test";
import { sayDate, sayWallTime } from "../../../api/doors/pages/kit/words.ts";
import { firstWeekday, inLocaleOf, locale } from "../../../api/web/locale.ts";

const today = "2026-11-20";
const said = (language: string) =>
  inLocaleOf({ headers: new Headers({ "accept-language": language }) }, () => [
    sayDate("2026-11-23", today),
    sayDate("2027-01-01", today),
    sayWallTime("2026-11-23T00:05:00", today),
    sayWallTime("2026-11-23T14:30:07", today),
  ]);

test.each([
  ["en-US,en;q=0.9", ["Mon Nov 23", "Fri Jan 1, 2027", "Mon Nov 23 12:05 AM", "Mon Nov 23 2:30:07 PM"]],
  ["hi-IN", ["Mon 23 Nov", "Fri 1 Jan 2027", "Mon 23 Nov 12:05 AM", "Mon 23 Nov 2:30:07 PM"]],
  ["de", ["Mon 23 Nov", "Fri 1 Jan 2027", "Mon 23 Nov 00:05", "Mon 23 Nov 14:30:07"]],
  ["no language", ["Mon 23 Nov", "Fri 1 Jan 2027", "Mon 23 Nov 00:05", "Mon 23 Nov 14:30:07"]],
  ["", ["Mon 23 Nov", "Fri 1 Jan 2027", "Mon 23 Nov 00:05", "Mon 23 Nov 14:30:07"]],
])("dates and times are in the order and the clock of %s, in English words", (language, expected) => {
  expect(said(language)).toEqual(expected);
});

test.each([
  ["en-US", 7],
  ["ar-EG", 6],
  ["dv-MV", 5],
  ["de", 1],
  ["no language", 1],
])("weeks begin on the day of %s", (language, day) => {
  const headers = new Headers({ "accept-language": language });
  expect(inLocaleOf({ headers }, firstWeekday)).toBe(day);
  expect(inLocaleOf({ headers }, locale)).toMatch(/^en-(GB|US)-u-fw-(mon|fri|sat|sun)-hc-h(12|23)$/);
});
