import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import { datesIn, type Pause, spansOf } from "../../../../shared/domain/habit/free-days.ts";

const day = fc.integer({ min: 20_000, max: 20_060 });
const pause = fc
  .tuple(day, fc.option(fc.nat({ max: 20 })))
  .map(([from, days]): Pause => [from, days === null ? null : from + days]);

test("the free days of a period are those in a pause or skipped, one by one", () => {
  fc.assert(
    fc.property(
      fc.array(pause, { maxLength: 3 }),
      fc.array(day, { maxLength: 3 }),
      day,
      (pauses, skips, first) => {
        const last = addDays(dateOfDay(first), 30);
        const found = datesIn(spansOf({ pauses, skips }), dateOfDay(first), last);
        const expected: string[] = [];
        for (let one = first; one <= dayNumber(last); one++) {
          const isPaused = pauses.some(
            ([from, through]) => from <= one && (through === null || one <= through),
          );
          if (isPaused || skips.includes(one)) expected.push(dateOfDay(one));
        }
        expect([...found]).toEqual(expected);
      },
    ),
  );
});
