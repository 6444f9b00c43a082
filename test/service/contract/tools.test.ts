import { expect, test } from "bun:test";
import { Type } from "typebox";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { Habit } from "../../../shared/contracts/habit/fields.ts";
import { command, query } from "../../../shared/contracts/kernel/contract.ts";
import { SearchText } from "../../../shared/contracts/kernel/fields.ts";
import { queryTool, tool } from "../../../shared/contracts/kernel/tool.ts";
import { useStack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";

const stack = await useStack();

const parts = {
  name: "read-aloud",
  title: "Read aloud",
  description: "Read a habit aloud.",
  destructive: false,
  idempotent: true,
  arguments: Type.Object({ habit_id: Type.Integer() }),
  facts: Type.Object({}),
  toInput: (args: { habit_id: number }) => args,
};
const result = () => ({ lines: ["Read."], facts: {} });
const looksAt = "a habit";
const contract = { scopes: [], summary: "Read", input: Type.Object({ habit_id: Type.Integer() }) };

test("a tool is declared whole, or it does not compile", () => {
  const whole = tool({ ...parts, result });
  // @ts-expect-error a tool needs a result
  tool(parts);
  // @ts-expect-error the tool of a query says for the log what it looks at
  queryTool({ ...parts, result });
  // @ts-expect-error the result is made of the contract's output
  command({ ...contract, name: "a", output: Habit, mcp: tool({ ...parts, result: ofNumber }) });
  // @ts-expect-error the tool of a query states the day of its output
  query({ ...contract, name: "b", output: Habit, mcp: whole });
  // @ts-expect-error and an output without the day has none to state
  query({ ...contract, name: "c", output: Habit, mcp: queryTool({ ...parts, looksAt, result: ofHabit }) });
  expect(command({ ...contract, name: "d", output: Habit, mcp: whole }).mcp).toBe(whole);
});

const ofNumber = (_: number) => result();
const ofHabit = (_: { name: string }) => result();

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
