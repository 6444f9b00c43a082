import { describe, expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { counting } from "./counting.ts";
import { further } from "./further.ts";
import { reading } from "./reading.ts";
import { type Cost, carryOut, type Request } from "./request.ts";
import { settle, startWorld } from "./world.ts";
import { writing } from "./writing.ts";

/**
 * Requests of people, carried out by an agent without a model. Each group has a least number of completed requests,
 * which only grows.
 */
const groups = [
  { name: "reading", requests: reading, leastDone: 16 },
  { name: "writing", requests: writing, leastDone: 40 },
  { name: "further", requests: further, leastDone: 30 },
  { name: "counting", requests: counting, leastDone: 11 },
];

const mostCalls = 1.5;
const mostTokens = 160;

const world = await startWorld(await useStack());
const changing = groups.flatMap(({ requests }) => requests.filter(({ leaves, todo }) => leaves && !todo));
const [reader, ...writers] = await settle(world, changing.length + 1);

const personOf = (request: Request) => (request.leaves ? writers[changing.indexOf(request)] : reader);

const costs = new Map<Request, Cost>();

for (const { name, requests, leastDone } of groups)
  describe(name, () => {
    for (const request of requests.filter(({ todo }) => !todo))
      test(request.said, async () => {
        const person = personOf(request);
        if (!person) throw new Error("There is nobody for this request.");
        costs.set(request, await carryOut(world, person, request));
      });

    test(`at least ${leastDone} are done`, () => {
      const part = requests.filter((one) => one.part).length;
      const not = requests.filter((one) => one.todo).length;
      const done = requests.length - part - not;
      const cost = `${average(requests, "calls").toFixed(2)} calls, ${average(requests, "tokens").toFixed()} tokens`;
      console.info(`${name}: ${done} done, ${part} in part, ${not} not; on average ${cost}`);
      expect(done).toBeGreaterThanOrEqual(leastDone);
    });
  });

test("a request takes few calls and tokens on average", () => {
  const all = groups.flatMap(({ requests }) => requests);
  expect(average(all, "calls")).toBeLessThanOrEqual(mostCalls);
  expect(average(all, "tokens")).toBeLessThanOrEqual(mostTokens);
});

function average(requests: readonly Request[], of: keyof Cost): number {
  const known = requests.flatMap((request) => costs.get(request) ?? []);
  return known.reduce((sum, cost) => sum + cost[of], 0) / known.length;
}
