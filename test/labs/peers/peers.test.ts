import { expect, test } from "bun:test";
import { goalsOf } from "../bench/goals.ts";
import { firstDifference } from "./agree.ts";
import { contestants } from "./contestants.ts";

test("the lab names the first answer that differs, and passes over a question that a server cannot be asked", () => {
  const ours = [
    { after: "at first", answer: { total: 16 } },
    { after: "for one", answer: { title: "Walk" } },
    { after: "done", answer: { total: 15 } },
  ];
  expect(
    firstDifference(
      ours,
      [ours[0], ours[2]].flatMap((one) => one ?? []),
    ),
  ).toBeUndefined();
  expect(firstDifference(ours, [{ after: "done", answer: { total: 16 } }])).toBe(
    'done: {"total":15} is not {"total":16}',
  );
});

test("a goal is reached or missed by the run's own figures, and told apart from one that was not measured", () => {
  const rate = (name: string, perSecond: number, limitPerSecond?: number) => ({
    ...{ scenario: { name }, connections: 48, http: { perSecond } },
    limitPerSecond,
  });
  const { goals, unmeasured } = goalsOf({
    results: [rate("create", 600, 1_000), rate("list", 1_000), rate("mcp-read", 640)],
    idleMb: { api: 200, redis: 61, postgres: 500 },
  });
  expect(goals).toEqual([
    { what: "memory at rest", found: "261 MB", goal: "≤ 170 MB", ok: false },
    { what: "create, of pgbench's statement", found: "0.60", goal: "≥ 0.60", ok: true },
    { what: "MCP read, of the REST list", found: "0.64", goal: "≥ 0.65", ok: false },
  ]);
  expect(unmeasured).toContain("log of a create");
});

test("every server is asked for the list, to create and to complete, and the lab says what each peer leaves out", () => {
  for (const { name, server, lacks, asks } of contestants) {
    expect([name, Object.keys(asks)]).toEqual([name, expect.arrayContaining(["list", "create", "complete"])]);
    expect([name, lacks !== ""]).toEqual([name, server !== undefined]);
  }
});
