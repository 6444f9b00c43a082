import { expect, test } from "bun:test";
import type { Rules } from "../../../../shared/domain/habit/schedule.ts";
import { editRules, type StreakState, view } from "../../../../shared/domain/habit/streak.ts";
import { day, done, doneOn, rules, shown, undone } from "../../../support/streak/streak-steps.ts";

const workWeek = [4, 5, 6, 7, 8];
const daily = (grace: number) => rules("daily", grace);
const weekly = rules("weekly", 1);
const thrice = rules("custom", 1, { times_per_week: 3 });
const monWedFri = (grace: number) => rules("custom", grace, { weekdays: [1, 3, 5] });
const everyThird = rules("custom", 1, { every_days: 3 });

const monToFri = (grace: number) => doneOn(daily(grace), ...workWeek);
const threeWeeks = doneOn(weekly, -15, -8, -1);
const weekAndTwo = doneOn(thrice, -3, -2, -1, 4, 5);

const examples: [
  what: string,
  state: StreakState,
  rules: Rules,
  on: number,
  count: number,
  alive: number | null,
][] = [
  ["daily g1, Sat not done yet", monToFri(1), daily(1), 9, 5, 10],
  ["daily g1, Sunday, Sat missed", monToFri(1), daily(1), 10, 5, 10],
  ["… completing it", done(monToFri(1), daily(1), 10), daily(1), 10, 6, 12],
  ["… and undoing that", undone(done(monToFri(1), daily(1), 10), daily(1), 10), daily(1), 10, 5, 10],
  ["daily g1, Monday, Sat and Sun missed", monToFri(1), daily(1), 11, 0, null],
  ["… completing it", done(monToFri(1), daily(1), 11), daily(1), 11, 1, 13],
  ["daily g0, Sat not done", monToFri(0), daily(0), 9, 5, 9],
  ["daily g0, Sat not done, on Sun", monToFri(0), daily(0), 10, 0, null],
  ["Mon Wed Fri g1, Wed missed, on Fri", doneOn(monWedFri(1), 4), monWedFri(1), 8, 1, 8],
  ["Mon Wed Fri g1, Wed missed, on Sat", doneOn(monWedFri(1), 4), monWedFri(1), 9, 0, null],
  ["Mon Wed Fri g0, all done, on Sun", doneOn(monWedFri(0), 4, 6, 8), monWedFri(0), 10, 3, 11],
  ["every_days 3 g1, done 1 and 4, on 7", doneOn(everyThird, 1, 4), everyThird, 7, 2, 8],
  ["every_days 3 g1, done 1 and 4, on 8", doneOn(everyThird, 1, 4), everyThird, 8, 2, 8],
  ["every_days 3 g1, done 1 and 4, on 9", doneOn(everyThird, 1, 4), everyThird, 9, 0, null],
  ["weekly g1, three weeks done, the 4th missed, on Sun 10", threeWeeks, weekly, 10, 3, 11],
  ["weekly g1, three weeks done, the 4th missed, on Mon 11", threeWeeks, weekly, 11, 3, 11],
  ["… done late on Mon 11", done(threeWeeks, weekly, 11), weekly, 11, 4, 25],
  ["… not done by Tue 12", threeWeeks, weekly, 12, 0, null],
  ["3 a week g1, second week has 2, on Mon", weekAndTwo, thrice, 11, 1, 11],
  ["… done on Mon", done(weekAndTwo, thrice, 11), thrice, 11, 1, 18],
  ["… not done by Tue", weekAndTwo, thrice, 12, 0, null],
  [
    "daily g0 broken on Sat, g set to 5 on Sun",
    editRules(monToFri(0), daily(0), daily(5), day(10)),
    daily(5),
    10,
    0,
    null,
  ],
  [
    "daily g3, Sat and Sun missed, g set to 0 on Mon",
    editRules(monToFri(3), daily(3), daily(0), day(11)),
    daily(0),
    11,
    5,
    11,
  ],
  [
    "… done on Mon",
    done(editRules(monToFri(3), daily(3), daily(0), day(11)), daily(0), 11),
    daily(0),
    11,
    6,
    12,
  ],
  ["… not done by Tue", editRules(monToFri(3), daily(3), daily(0), day(11)), daily(0), 12, 0, null],
];

test.each(examples)("%s", (_what, state, rules, on, count, alive) => {
  expect(shown(state, rules, on)).toBe(count);
  if (alive !== null) expect(view(state, rules).alive_through).toBe(day(alive));
});
