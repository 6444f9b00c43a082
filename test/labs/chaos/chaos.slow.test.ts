import { expect, test } from "bun:test";
import { runChaos } from "./chaos.ts";
import { isGood, printReport } from "./report.ts";

test("10 s of disturbances by chance lose, double and misreport nothing", async () => {
  const result = await runChaos({ seed: 1, seconds: 10, acks: 0, faults: 0 });
  if (!isGood(result)) printReport(result);
  expect(result.violations.map(({ sentence }) => sentence)).toEqual([]);
}, 180_000);
