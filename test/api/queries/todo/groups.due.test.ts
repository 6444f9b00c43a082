import { expect, test } from "bun:test";
import fc from "fast-check";
import { dueDatesOf, dueGroupOf, dueGroups } from "../../../../api/queries/todo/groups.ts";
import { addDays, dateOfDay } from "../../../../shared/domain/day/day.ts";

const wednesday = "2026-11-25";
const saturday = "2026-11-28";
const sunday = "2026-11-29";

test.each([
  [wednesday, "2020-01-01", "overdue"],
  [wednesday, "2026-11-24", "overdue"],
  [wednesday, "2026-11-25", "today"],
  [wednesday, "2026-11-26", "tomorrow"],
  [wednesday, "2026-11-27", "week"],
  [wednesday, sunday, "week"],
  [wednesday, "2026-11-30", "later"],
  [wednesday, null, "undated"],
  [saturday, sunday, "tomorrow"],
  [saturday, "2026-11-30", "later"],
  [sunday, "2026-11-30", "tomorrow"],
  [sunday, "2026-12-01", "later"],
] as const)("on %s a todo due %s is %s", (today, due, group) => {
  const is_overdue = due !== null && due < today;
  expect(dueGroupOf({ due_date: due, is_overdue }, today, 1)).toBe(group);
});

test("every date is in exactly one group, and groups follow one another in the order of dates", () => {
  const days = fc.integer({ min: 10_000, max: 40_000 }).map(dateOfDay);
  fc.assert(
    fc.property(
      days,
      fc.integer({ min: -30, max: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (today, distance, firstWeekday) => {
        const due = addDays(today, distance);
        const holding = dueGroups.filter((group) => {
          const dates = dueDatesOf(group, today, firstWeekday);
          return dates && dates.from <= due && due <= dates.to;
        });
        const groupOn = (due_date: string) =>
          dueGroupOf({ due_date, is_overdue: due_date < today }, today, firstWeekday);
        expect(holding).toEqual([groupOn(due)]);
        const next = groupOn(addDays(due, 1));
        expect(dueGroups.indexOf(next)).toBeGreaterThanOrEqual(dueGroups.indexOf(groupOn(due)));
      },
    ),
  );
});
