import { expect, test } from "bun:test";
import { restartUnderLoad } from "../../../support/chaos/rolling.ts";

test("a rolling restart of all front doors, workers and identity providers fails no request", async () => {
  const { requests, failed, made, stored } = await restartUnderLoad(1);
  expect(failed).toEqual({});
  expect(requests).toBeGreaterThan(100);
  // One todo existed before.
  expect(stored).toBe(made + 1);
}, 300_000);
