import { expect, test } from "bun:test";
import { restartUnderLoad } from "../../../support/chaos/rolling.ts";

test("two rolling restarts of all front doors, workers and identity providers fail no request", async () => {
  const { requests, failed, made, stored } = await restartUnderLoad(2);
  expect(failed).toEqual({});
  expect(requests).toBeGreaterThan(200);
  // One todo existed before.
  expect(stored).toBe(made + 1);
}, 120_000);
