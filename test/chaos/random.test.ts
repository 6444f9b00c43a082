import { expect, test } from "bun:test";
import { runChaos } from "./run/chaos.ts";
import { isGood, printReport } from "./run/report.ts";

const seed = 1;

test("20 s of disturbances by chance lose, double and misreport nothing", async () => {
  const result = await runChaos({ seed, seconds: 20, acks: 0, faults: 0 });
  if (!isGood(result)) printReport(result);
  expect(result.violations.map(({ sentence }) => sentence)).toEqual([]);
}, 180_000);

test("without the inbox the same run is caught: repeats are carried out again", async () => {
  const { violations } = await runChaos({ seed, control: "inbox-off", seconds: 5, acks: 0, faults: 0 });
  expect(violations.map(({ kind }) => kind)).toContain("repeat");
}, 180_000);
