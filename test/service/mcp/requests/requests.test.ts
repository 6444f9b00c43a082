import { describe, expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { questions } from "./questions.ts";
import { type Cost, carryOut } from "./request.ts";
import { wishes } from "./wishes.ts";
import { settle, startWorld } from "./world.ts";

/** Requests of people, carried out by an agent without a model. */
const world = await startWorld(await useStack({ travels: true }));
const [reader, ...writers] = await settle(world, wishes.length + 1);
const costs: Cost[] = [];

describe.each([
  ["a question", questions.map((request) => ({ request, person: reader }))],
  ["a wish", wishes.map((request, index) => ({ request, person: writers[index] }))],
])("%s", (_, requests) => {
  for (const { request, person } of requests)
    test(request.words, async () => {
      if (!person) throw new Error("There is nobody for this request.");
      costs.push(await carryOut(world, person, request));
    });
});

test("a request takes few calls and tokens on average", () => {
  const average = (of: keyof Cost) => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  expect(average("calls")).toBeLessThanOrEqual(1.5);
  expect(average("tokens")).toBeLessThanOrEqual(160);
});
