import { expect, test } from "bun:test";
import { restartUnderLoad } from "../support/rolling.ts";

/** `npm run figures -- --only rolling` has three rounds. */
test("a rolling restart of all front doors, workers and identity providers fails no request", async () => {
  const { requests, failed, made, stored } = await restartUnderLoad(1);
  expect(failed).toEqual({});
  expect(requests).toBeGreaterThan(200);
  // One todo was there before.
  expect(stored).toBe(made + 1);
}, 120_000);
