import { expect, test } from "bun:test";
import { neededConnections, workerConnections } from "../../../shared/process/connections.ts";

const settings = { builtInIdentity: true, databaseConnections: undefined, workerConcurrency: 2 };
const two = { doors: 2, workers: 2 };

test("the connections of all processes, of a migration and of PostgreSQL's owner are counted", () => {
  expect(workerConnections(settings)).toBe(15);
  expect(workerConnections({ ...settings, workerConcurrency: 6 })).toBe(19);
  expect(neededConnections(settings, two)).toBe(2 * 20 + 2 * 15 + 2 + 3);
  expect(neededConnections({ ...settings, builtInIdentity: false }, two)).toBe(2 * 10 + 2 * 15 + 2 + 3);
  expect(neededConnections({ ...settings, databaseConnections: 5 }, two)).toBe(2 * 10 + 2 * 5 + 2 + 3);
});
