import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { wordsIn } from "../support/text-table.ts";
import { importsOf, list, root, sources, textOf } from "./sources.ts";

const nouns = wordsIn(`
  action approval calendar category change dashboard day group habit import journal reminder todo user
  webhook`);
/** Folders that stand beside the nouns in a layer that is divided by them. */
const besideNouns: Readonly<Record<string, readonly string[]>> = {
  "shared/contracts": ["kernel"],
  "shared/domain": [],
  "workers/handlers": [],
  "api/queries": ["engine", "quick-add"],
};

test("one noun has one folder name in every layer", () => {
  const folders = new Set(sources.map(dirname));
  const strange = [...folders].filter((folder) => {
    const others = besideNouns[dirname(folder)];
    return others && ![...nouns, ...others].includes(basename(folder));
  });
  const plurals = [...folders].filter((folder) =>
    nouns.some(
      (noun) =>
        [`${noun}s`, noun.replace(/y$/, "ies")].includes(basename(folder)) &&
        !nouns.includes(basename(folder)),
    ),
  );
  expect([...strange, ...plurals]).toEqual([]);
});

test("shared holds only what both the front door and the workers import", async () => {
  const api = await reachedFrom("api/");
  const workers = await reachedFrom("workers/");
  const isShared = (path: string) => api.has(path) && workers.has(path);
  // `npm start` runs the servers and the roles; neither imports it.
  const candidates = sources.filter(
    (path) => path.startsWith("shared/") && !path.startsWith("shared/embedded/"),
  );
  expect(candidates.filter((path) => !isShared(path))).toEqual([]);
});

test("a test lies at the path of the code that it tests, or among the tests of the whole service", () => {
  const elsewhere = ["test/architecture/", "test/journeys/", "test/labs/", "test/service/"];
  const lost = list("test/**/*.test.ts").filter((path) => {
    const code = path.replace(/^test\//, "").replace(/\..*/, ".ts");
    return !elsewhere.some((folder) => path.startsWith(folder)) && !existsSync(join(root, code));
  });
  expect(lost).toEqual([]);
});

async function reachedFrom(folder: string): Promise<ReadonlySet<string>> {
  const reached = new Set(sources.filter((path) => path.startsWith(folder)));
  for (const path of reached) for (const target of await importsOf(path)) reached.add(target);
  return reached;
}

test("a file has at most 400 lines", async () => {
  const lengths = await Promise.all(
    sources.map(async (path) => `${path} ${(await textOf(path)).split("\n").length - 1}`),
  );
  expect(lengths.filter((one) => Number(one.split(" ")[1]) > 400)).toEqual([]);
});
