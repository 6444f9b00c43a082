import { expect, test } from "bun:test";
import fc from "fast-check";
import { dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import { complete, undo, view } from "../../../../shared/domain/habit/streak.ts";
import { streakOfHistory } from "../../../../workers/handlers/habit/history-streak.ts";
import { anyRules } from "../../../support/streak/streak-history.ts";
import { emptyTimeline, recompute } from "../../../support/streak/streak-spec.ts";

const today = dayNumber("2026-11-22");
const history = fc.uniqueArray(fc.integer({ min: today - 60, max: today }), { maxLength: 40 });

const pausesOf = fc.array(
  fc
    .tuple(fc.integer({ min: today - 60, max: today + 9 }), fc.nat(9))
    .map(([from, length]): [number, number] => [from, from + length]),
  { maxLength: 3 },
);

test("the streak of a history is what recomputing all of it says, and can be changed in its last days", () => {
  fc.assert(
    fc.property(anyRules, history, pausesOf, fc.integer({ min: 0, max: 7 }), (rules, days, pauses, back) => {
      const ofDays = (some: readonly number[]) => {
        const events = some.toSorted((a, b) => a - b).map((on) => ({ on, what: "completed" as const }));
        const timeline = emptyTimeline(rules, today);
        for (const [from, through] of pauses)
          for (let day = from; day <= through; day++) timeline.free.paused.add(day);
        return recompute({ ...timeline, events });
      };
      const shown = (state: Parameters<typeof view>[0]) => {
        const { streak_count, longest_streak, alive_through } = view(state, rules);
        return { streak_count, longest_streak, alive_through };
      };
      const state = streakOfHistory(
        { dates: days.map(dateOfDay), free: { pauses, skips: [] } },
        rules,
        dateOfDay(today),
      );
      expect(shown(state)).toEqual(ofDays(days));
      const day = today - back;
      const [change, changed] = days.includes(day)
        ? [undo, days.filter((one) => one !== day)]
        : [complete, [...days, day]];
      const after = change(state, rules, dateOfDay(day), dateOfDay(today));
      if (typeof after === "string") throw new Error(after);
      expect(shown(after)).toEqual(ofDays(changed));
    }),
    { numRuns: 500 },
  );
});
