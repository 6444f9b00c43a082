import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addToDay,
  type CountedDay,
  type DaySum,
  type SumChange,
  withoutChange,
} from "../../../../workers/handlers/habit/days.ts";

const empty: CountedDay = { sum: undefined, isCompleted: false };
const ticked: CountedDay = { sum: undefined, isCompleted: true };
const day = (amount: number, target: number): CountedDay => ({
  sum: { amount, target },
  isCompleted: amount >= target,
});

describe("an addition", () => {
  test.each([
    ["a part of the target leaves the day open", empty, 8, 3, day(3, 8)],
    ["the rest completes it", day(3, 8), 8, 5, day(8, 8)],
    ["more than the target may be added", day(3, 8), 8, 50, day(53, 8)],
    ["a full day takes more", day(8, 8), 8, 2, day(10, 8)],
    ["without an amount the day is filled up", day(3, 8), 8, undefined, day(8, 8)],
    ["a smaller target waits for the next addition", day(6, 8), 5, 1, day(7, 5)],
    ["without an amount a smaller target is reached as it is", day(6, 8), 5, undefined, day(6, 5)],
    ["a larger target leaves a full day full", day(8, 8), 20, 1, day(9, 8)],
    ["a day that was ticked off stays so", ticked, 8, 3, day(3, 0)],
    ["without a target a tick completes the day", empty, null, undefined, ticked],
    ["a tick completes a day that has a sum", day(3, 8), null, undefined, day(3, 0)],
    ["a full day cannot be filled up", day(8, 8), 8, undefined, "already_completed"],
    ["a ticked day cannot be ticked", ticked, null, undefined, "already_completed"],
    ["an amount needs a target", empty, null, 3, "no_target"],
    ["a day has a largest sum", day(999_999, 8), 8, 2, "too_much"],
  ] as const)("%s", (_, before, target, amount, after) => {
    expect(addToDay(before, target, amount)).toEqual(after);
  });
});

type Act = Readonly<{ amount: number | undefined; target: number | null }>;

/** The day as a list of all that was done on it, of which the sum and the outcome are told one by one. */
function told(acts: readonly Act[]): CountedDay {
  let [sum, target, isCompleted, isCounted] = [0, 0, false, false];
  for (const act of acts) {
    if (!isCompleted) target = act.target ?? 0;
    if (act.target === null) isCompleted = true;
    else {
      sum += act.amount ?? Math.max(0, act.target - sum);
      isCounted = true;
      if (sum >= act.target) isCompleted = true;
    }
  }
  return { sum: isCounted ? { amount: sum, target } : undefined, isCompleted };
}

const amount = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 4 });
const target = fc.option(fc.integer({ min: 1, max: 20 }), { freq: 8 });
const acts = fc.array(fc.record({ amount, target }), { maxLength: 8 });
const partial = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

/** Applies what is not refused. @returns the days after each act, and the acts that took effect */
function lived(all: readonly Act[]) {
  const [days, done]: [CountedDay[], Act[]] = [[empty], []];
  for (const act of all) {
    const next = addToDay(days.at(-1) ?? empty, act.target, act.amount);
    if (typeof next === "string") continue;
    days.push(next);
    done.push(act);
  }
  return { days, done };
}

/** The image of an action: the fields that it changed, or the whole row that it made. */
function changeOf(before: DaySum | undefined, after: DaySum | undefined): SumChange {
  if (!before || !after) return { before, after };
  const names = (["amount", "target"] as const).filter((name) => before[name] !== after[name]);
  const pick = (sum: DaySum) => Object.fromEntries(names.map((name) => [name, sum[name]]));
  return { before: pick(before), after: pick(after) };
}

test("a day is what its acts tell one by one, and completed exactly if its sum has reached the target", () => {
  fc.assert(
    fc.property(acts, (all) => {
      const { days, done } = lived(all);
      expect(days.at(-1)).toEqual(told(done));
      for (const { sum, isCompleted } of days) if (sum) expect(isCompleted).toBe(sum.amount >= sum.target);
    }),
  );
});

test("acts that are taken back from the last to the first leave each day as it was before them", () => {
  fc.assert(
    fc.property(acts, (all) => {
      const { days, done } = lived(all);
      for (let at = done.length; at > 0; at--) {
        const [before, after] = [days[at - 1], days[at]];
        if (!before?.sum && !after?.sum) continue;
        expect(withoutChange(after ?? empty, changeOf(before?.sum, after?.sum), null)).toEqual(
          before ?? empty,
        );
      }
    }),
  );
});

test("additions under one target can be taken back in any order, as if they had never been", () => {
  fc.assert(
    fc.property(
      partial,
      fc.integer({ min: 1, max: 30 }),
      fc.infiniteStream(fc.nat()),
      (amounts, target, random) => {
        const { days } = lived(amounts.map((amount) => ({ amount, target })));
        const left = amounts.map((amount, index) => ({
          amount,
          change: changeOf(days[index]?.sum, days[index + 1]?.sum),
        }));
        let now = days.at(-1) ?? empty;
        while (left.length > 0) {
          const [taken] = left.splice(random.next().value % left.length, 1);
          const next = taken && withoutChange(now, taken.change, target);
          expect(next).toEqual(told(left.map(({ amount }) => ({ amount, target }))));
          now = typeof next === "object" ? next : now;
        }
      },
    ),
  );
});

test("what was set to 0 since is not taken back from what was added then", () => {
  const made = changeOf(undefined, { amount: 5, target: 8 });
  expect(withoutChange(empty, made, 8)).toBe("gone");
  expect(withoutChange(day(3, 8), made, 8)).toBe("gone");
  const cleared = changeOf({ amount: 8, target: 8 }, undefined);
  expect(withoutChange(empty, cleared, 8)).toEqual(day(8, 8));
  expect(withoutChange(day(3, 8), cleared, 8)).toEqual(day(11, 8));
  expect(withoutChange(ticked, cleared, 8)).toEqual(day(8, 0));
});
