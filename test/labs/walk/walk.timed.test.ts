import { expect, test } from "bun:test";
import { services } from "../../support/servers/services.ts";
import { budgets, linesOf, measureWalks } from "./walks.ts";

test("no request runs more files and lines than its budget", async () => {
  const walks = await measureWalks(await services());
  const excesses = walks.flatMap((walk) => {
    const [files, lines, budget] = [walk.files.length, linesOf(walk), budgets[walk.name]];
    return files > budget.files || lines > budget.lines ? [{ name: walk.name, files, lines, budget }] : [];
  });
  expect(excesses).toEqual([]);
});
