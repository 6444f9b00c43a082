import { expect, test } from "bun:test";
import { Type } from "typebox";
import { does, reads, tool } from "../../../api/doors/mcp/tool.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { completeHabit } from "../../../shared/contracts/habit/commands.ts";
import { getHabit, todayHabits } from "../../../shared/contracts/habit/queries.ts";
import { SearchText } from "../../../shared/contracts/kernel/fields.ts";
import { useStack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";

const stack = await useStack();

const parts = {
  ...{ name: "read-aloud", title: "Read aloud", description: "Read a habit aloud.", scopes: [] },
  ...{ destructive: false, idempotent: true, facts: Type.Object({}) },
  arguments: Type.Object({ habit_id: Type.Integer() }),
};
const told = () => ({ lines: ["Read."], facts: {} });

test("a tool is declared whole, and acts with the input and the output of its contract, or it does not compile", () => {
  const whole = tool({ ...parts, act: (args) => does(completeHabit, args, told) });
  // @ts-expect-error a tool says how it acts
  tool(parts);
  // @ts-expect-error an argument has its declared type
  tool({ ...parts, act: ({ habit_id }) => does(completeHabit, { habit_id: habit_id.trim() }, told) });
  // @ts-expect-error the input is that of the contract
  does(completeHabit, { todo_id: 7 }, told);
  // @ts-expect-error the result is made of the contract's output
  does(completeHabit, { habit_id: 7 }, (_: number) => told());
  // @ts-expect-error a read has the user's day in its output
  reads(getHabit, { habit_id: 7 }, told);
  expect(reads(todayHabits, {}, told).dayOf?.({ today: "2026-11-20", time_zone: "UTC" })).toEqual({
    ...{ date: "2026-11-20", timeZone: "UTC" },
  });
  expect(whole.act({ habit_id: 7 })).toMatchObject({ contract: { name: "habit.complete" } });
});

test("every query that takes a text to find is declared to search", () => {
  const searches = contracts.flatMap((one) => {
    const fields = Object.entries(one.input.properties).filter(
      ([, field]) => "title" in field && field.title === SearchText.title,
    );
    if (one.kind !== "query" || fields.length === 0) return [];
    return [[one.name, fields.map(([name]) => name), one.searchField]];
  });
  expect(searches).toEqual([
    ["action.list", ["q"], "q"],
    ["habit.list", ["q"], "q"],
    ["habit.today", ["query"], "query"],
    ["todo.list", ["q"], "q"],
    ["todo.pending", ["query"], "query"],
  ]);
});

test("every route with an id in its path names the resource, for the answer when there is none", () => {
  for (const { name, rest = [], resource } of contracts) {
    const hasId = rest.some(({ path }) => path.includes("{"));
    expect([name, resource !== undefined]).toEqual([name, hasId]);
  }
});

test("what was not found is named in the message, and by no field of its own, in a stored answer neither", async () => {
  const { call } = await newcomer(stack);
  const args = { habit_id: 999_999_999, idempotency_key: crypto.randomUUID() };
  for (const { facts, text } of [await call("complete-habit", args), await call("complete-habit", args)]) {
    expect(text).toStartWith("Habit not found; get-today-habits lists the ids of the habits due today.");
    const { replayed: _, now: __, ...others } = facts;
    expect(Object.keys(others).toSorted()).toEqual(["code", "message", "time_zone", "today", "weekday"]);
  }
});
