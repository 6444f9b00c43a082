import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { rest, clock, issuer } = await useStack({ travels: true });

/** Days of May 2026: the 4th is a Monday; days below 1 are of April. */
const dateOf = (day: number): string => new Date(Date.UTC(2026, 4, day)).toISOString().slice(0, 10);
const travelTo = (day: number): void => {
  clock.now = Date.UTC(2026, 4, day, 12);
};

type Step = { done: number } | { undone: number } | { on: number; change: object };
const done = (...days: number[]): Step[] => days.map((day) => ({ done: day }));

const daily = (grace_days: number) => ({ frequency: "daily", grace_days });
const custom = (grace_days: number, schedule: object) => ({ frequency: "custom", grace_days, schedule });
const weekly = { frequency: "weekly", grace_days: 1 };
const monWedFri = { weekdays: [1, 3, 5] };
const thrice = custom(1, { times_per_week: 3 });
const everyThird = custom(1, { every_days: 3 });
const workWeek = done(4, 5, 6, 7, 8);
const graceCut: Step[] = [...workWeek, { on: 11, change: { grace_days: 0 } }];

/** A history, the day on which it is read, the streak on that day, and the last day on which the streak lives. */
const examples: [
  what: string,
  rules: object,
  steps: Step[],
  on: number,
  count: number,
  alive: number | null,
][] = [
  ["daily g1, Sat not done yet", daily(1), workWeek, 9, 5, 10],
  ["daily g1, Sunday, Sat missed", daily(1), workWeek, 10, 5, 10],
  ["… completing it", daily(1), [...workWeek, ...done(10)], 10, 6, 12],
  ["… and undoing that", daily(1), [...workWeek, ...done(10), { undone: 10 }], 10, 5, 10],
  ["daily g1, Monday, Sat and Sun missed", daily(1), workWeek, 11, 0, null],
  ["… completing it", daily(1), [...workWeek, ...done(11)], 11, 1, 13],
  ["daily g0, Sat not done", daily(0), workWeek, 9, 5, 9],
  ["daily g0, on Sun", daily(0), workWeek, 10, 0, null],
  ["Mon Wed Fri g1, Wed missed, on Fri", custom(1, monWedFri), done(4), 8, 1, 8],
  ["Mon Wed Fri g1, Wed missed, on Sat", custom(1, monWedFri), done(4), 9, 0, null],
  ["Mon Wed Fri g0, all done, on Sun", custom(0, monWedFri), done(4, 6, 8), 10, 3, 11],
  ["every 3 days g1, done 1 and 4, on 7", everyThird, done(1, 4), 7, 2, 8],
  ["every 3 days g1, done 1 and 4, on 8", everyThird, done(1, 4), 8, 2, 8],
  ["every 3 days g1, done 1 and 4, on 9", everyThird, done(1, 4), 9, 0, null],
  ["weekly g1, a week missed, Sun 10", weekly, done(-15, -8, -1), 10, 3, 11],
  ["weekly g1, a week missed, Mon 11", weekly, done(-15, -8, -1), 11, 3, 11],
  ["… done on Mon 11", weekly, done(-15, -8, -1, 11), 11, 4, 25],
  ["… not done by Tue 12", weekly, done(-15, -8, -1), 12, 0, null],
  ["3 a week g1, week 2 has 2, Mon", thrice, done(-3, -2, -1, 4, 5), 11, 1, 11],
  ["… done on Mon", thrice, done(-3, -2, -1, 4, 5, 11), 11, 1, 18],
  ["… not done by Tue", thrice, done(-3, -2, -1, 4, 5), 12, 0, null],
  [
    "daily g0 broken on Sat, g 5 on Sun",
    daily(0),
    [...workWeek, { on: 10, change: { grace_days: 5 } }],
    10,
    0,
    null,
  ],
  ["daily g3, weekend missed, g 0 on Mon", daily(3), graceCut, 11, 5, 11],
  ["… done on Mon", daily(3), [...graceCut, ...done(11)], 11, 6, 12],
  ["… not done by Tue", daily(3), graceCut, 12, 0, null],
];

test.each(examples)("%s", async (name, rules, steps, on, count, alive) => {
  travelTo(-20);
  const { id } = (await rest("POST", "/habits", { body: { name, type: "good", ...rules } })).body;
  for (const step of steps) {
    if ("done" in step) await act(step.done, "POST", `/habits/${id}/complete`);
    else if ("undone" in step) await act(step.undone, "DELETE", `/habits/${id}/complete`);
    else await act(step.on, "PATCH", `/habits/${id}`, step.change);
  }
  travelTo(on);
  expect((await rest("GET", `/habits/${id}`)).body).toMatchObject({
    streak_count: count,
    streak_alive_through: alive === null ? null : dateOf(alive),
  });
});

async function act(day: number, method: string, path: string, body?: object): Promise<void> {
  travelTo(day);
  expect((await rest(method, path, body && { body })).status).toBe(200);
}

test("flying west onto a completed date leaves it completed; the streak lives on after flying east", async () => {
  const bearer = (zoneinfo: string, iat: number) => issuer.token({ sub: "pilot", zoneinfo, iat });
  const issued = Math.floor(Date.now() / 1000) - 1_000;
  const auckland = await bearer("Pacific/Auckland", issued);
  clock.now = Date.parse("2026-05-05T00:00:00Z"); // Tuesday noon in Auckland
  const body = { name: "Fly", type: "good", frequency: "daily", grace_days: 0 };
  const { id } = (await rest("POST", "/habits", { body, token: auckland })).body;
  const complete = async (token: string) => (await rest("POST", `/habits/${id}/complete`, { token })).status;
  expect(await complete(auckland)).toBe(200); // the 5th
  const honolulu = await bearer("Pacific/Honolulu", issued + 1);
  clock.now = Date.parse("2026-05-05T12:00:00Z"); // still the 5th in Honolulu, 2 a.m.
  expect(await complete(honolulu)).toBe(409);
  const home = await bearer("Pacific/Auckland", issued + 2);
  clock.now = Date.parse("2026-05-06T13:00:00Z"); // the 6th in Honolulu, the 7th in Auckland
  expect((await rest("GET", `/habits/${id}`, { token: home })).body.streak_count).toBe(1);
  expect(await complete(home)).toBe(200);
  expect((await rest("GET", `/habits/${id}`, { token: home })).body.streak_count).toBe(2);
});
