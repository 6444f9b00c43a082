import { expect, test } from "bun:test";
import fc from "fast-check";
import { dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import { complete, undo, view } from "../../../../shared/domain/habit/streak.ts";
import { streakOfHistory } from "../../../../workers/handlers/habit/history-streak.ts";
import { anyRules } from "../../../support/streak/streak-history.ts";
import { emptyDiary, recompute } from "../../../support/streak/streak-spec.ts";

const today = dayNumber("2026-11-22");
const history = fc.uniqueArray(fc.integer({ min: today - 60, max: today }), { maxLength: 40 });

test("the streak of a history is what recomputing all of it says, and can be changed in its last days", () => {
  fc.assert(
    fc.property(anyRules, history, fc.integer({ min: 0, max: 7 }), (rules, days, back) => {
      const ofDays = (some: readonly number[]) => {
        const deeds = some.toSorted((a, b) => a - b).map((on) => ({ on, what: "completed" as const }));
        return recompute({ ...emptyDiary(rules, today), deeds });
      };
      const shown = (state: Parameters<typeof view>[0]) => {
        const { streak_count, longest_streak, alive_through } = view(state, rules);
        return { streak_count, longest_streak, alive_through };
      };
      const state = streakOfHistory(days.map(dateOfDay), rules, dateOfDay(today));
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
