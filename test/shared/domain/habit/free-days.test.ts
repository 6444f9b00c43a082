import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import { datesIn, type Pause, spansOf } from "../../../../shared/domain/habit/free-days.ts";

const day = fc.integer({ min: 20_000, max: 20_060 });
const pause = fc.tuple(day, fc.option(fc.nat({ max: 20 }))).map(
  ([from, days]): Pause => ({
    from: dateOfDay(from),
    through: days === null ? null : dateOfDay(from + days),
  }),
);

test("the free days of a period are those in a pause or skipped, one by one", () => {
  fc.assert(
    fc.property(
      fc.array(pause, { maxLength: 3 }),
      fc.array(day, { maxLength: 3 }),
      day,
      (pauses, skips, first) => {
        const last = addDays(dateOfDay(first), 30);
        const spans = spansOf({ pauses, skipped_dates: skips.map(dateOfDay) });
        const found = datesIn(spans, dateOfDay(first), last);
        const days = Array.from({ length: 31 }, (_, index) => addDays(dateOfDay(first), index));
        const expected = days.filter(
          (date) =>
            skips.includes(dayNumber(date)) ||
            pauses.some(({ from, through }) => from <= date && (through === null || date <= through)),
        );
        expect([...found]).toEqual(expected);
      },
    ),
  );
});
