import { beforeAll, expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
const { call, rest, wrong } = await newcomer(stack);
const ids: Record<string, number> = {};

/** Read was done on four days of two months, Floss yesterday. Floss forgives no miss. */
beforeAll(async () => {
  stack.clock.now = Date.parse("2026-03-02T10:00:00Z");
  for (const [name, grace_days] of Object.entries({ Read: 3, Floss: 0, Walk: 1 })) {
    const { habit } = (await call("create-habit", { name, grace_days, description: `${name} more` })).facts;
    ids[name] = habit.id;
  }
  const done = { Read: ["2026-03-01", "2026-03-02", "2026-05-06", "2026-05-07"], Floss: ["2026-05-07"] };
  for (const [name, dates] of Object.entries(done))
    for (const date of dates) {
      stack.clock.now = Date.parse(`${date}T10:00:00Z`);
      await call("complete-habit", { habit_id: ids[name] });
    }
  stack.clock.now = Date.parse("2026-05-08T10:00:00Z");
});

const linesOf = async (args: object) => (await call("get-today-habits", args)).text.split("\n").slice(1);

test("the days of a period are told month by month, of all habits or of those found by words", async () => {
  const { facts, text } = await call("get-today-habits", { query: "more READ", from: "2026-03-08" });
  expect(facts).toMatchObject({ from: "2026-03-08", to: "2026-05-08" });
  expect(facts.habits).toEqual([
    {
      ...{ id: ids.Read, name: "Read", description: "Read more", type: "good", frequency: "daily" },
      ...{ streak_count: 2, longest_streak: 2, done: { "2026-05": [6, 7] } },
    },
  ]);
  expect(text.split("\n").slice(1, 3)).toEqual([
    "Days done from 2026-03-08 to 2026-05-08:",
    `#${ids.Read} "Read": good habit, daily, streak 2, done May 6 7`,
  ]);
  const march = (await linesOf({ from: "2026-03-01", to: "2026-03-31" })).filter((line) =>
    line.startsWith("#"),
  );
  expect(march.map((line) => line.split(", ").at(-1))).toEqual(["done Mar 1 2", "never done", "never done"]);
});

test("of more than two months the number is told, and of more than a year its end", async () => {
  const { facts, text } = await call("get-today-habits", { query: "read", from: "2020-01-01" });
  expect(facts).toMatchObject({
    from: "2025-05-08",
    habits: [{ done_by_month: { "2026-03": 2, "2026-05": 2 } }],
  });
  expect(text).toContain("done 2026-03: 2, 2026-05: 2");
});

test("history agrees with the completions that REST lists", async () => {
  const period = { from: "2026-03-02", to: "2026-05-06" };
  const query = new URLSearchParams(period);
  const { body } = await rest("GET", `/habits/${ids.Read}/completions?${query}`);
  const { facts } = await call("get-today-habits", { query: "read", ...period });
  const counts: number[] = Object.values(facts.habits[0].done_by_month);
  expect(counts.reduce((sum, count) => sum + count)).toBe(body.data.length);
});

test.each([
  [{ to: "2026-05-01" }, "to"],
  [{ from: "2026-05-02", to: "2026-05-01" }, "to"],
  [{ from: "2025-05-01", to: "2026-05-08" }, "to"],
])("%j is refused for its %s", async (args, field) =>
  expect(await wrong("get-today-habits", args)).toEqual([field]),
);

test("a streak that ends tonight is told as such, and where all are listed how much each forgives", async () => {
  const { facts } = await call("get-today-habits");
  expect(facts.habits.map(({ ends_tonight = false }) => ends_tonight)).toEqual([false, true, false]);
  const lines = (await linesOf({ all: true })).filter((line) => line.startsWith("#"));
  expect(lines[0]).toContain("streak 2 alive through 2026-05-11, grace left 3");
  expect(lines[1]).toContain("streak 1 ends tonight, grace left 0");
  await call("complete-habit", { habit_id: ids.Floss });
  expect((await linesOf({ query: "floss" }))[0]).toContain("streak 2 alive through 2026-05-09");
});

test("words that no habit has find none", async () => {
  expect(await linesOf({ query: "knit" })).toEqual(["No habits match."]);
});
