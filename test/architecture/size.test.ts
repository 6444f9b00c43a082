import { expect, test } from "bun:test";
import { importsOf, list, sources, textOf } from "./sources.ts";

/**
 * Sizes that may only fall. Each later change lowers what it made smaller; a number is raised only together with a line
 * in docs/decisions.md that says what it buys.
 */
const most = {
  /** Lines of the TypeScript files in api, workers and shared, all lines counted. */
  sourceLines: 57_995,
  /** Lines of the TypeScript files in test. */
  testLines: 51_126,
  /** Files of api, workers and shared with at most 60 lines that exactly one other of them imports; but migrations. */
  singleImporterFiles: 20,
  /** Words of the pages in docs, as `wc -w` counts them, without docs/third-party.md. */
  wordsOfDocs: 30_000,
  /** Each `as` of a type in api, workers and shared, but `as const`; comments, texts and imports do not count. */
  casts: 51,
};

const linesOf = (text: string): number => text.split("\n").length - 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const texts = new Map(await Promise.all(sources.map(async (path) => [path, await textOf(path)] as const)));

async function singleImporterFiles(): Promise<number> {
  const importers = new Map<string, Set<string>>();
  for (const path of sources)
    for (const target of await importsOf(path))
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
  const isSmall = (path: string) => importers.get(path)?.size === 1 && linesOf(texts.get(path) ?? "") <= 60;
  return sources.filter((path) => isSmall(path) && !path.startsWith("shared/db/migrations/")).length;
}

function castsIn(text: string): number {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(/`(?:[^`\\]|\\.)*`/g, "``")
    .replace(/^(?:import|export) [^;]*? from "";$/gm, "");
  return [...code.matchAll(/[\w)\]}"`>] as (?!const\b)[\w{([]/g)].length;
}

test("the project only gets smaller", async () => {
  const pages = list("docs/**/*.md").filter((path) => path !== "docs/third-party.md");
  const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
  const found = {
    sourceLines: sum([...texts.values()].map(linesOf)),
    testLines: sum(await Promise.all(list("test/**/*.ts").map(async (path) => linesOf(await textOf(path))))),
    singleImporterFiles: await singleImporterFiles(),
    wordsOfDocs: sum(await Promise.all(pages.map(async (path) => words(await textOf(path))))),
    casts: sum([...texts.values()].map(castsIn)),
  };
  const grown = Object.entries(found).filter(([what, size]) => size > most[what as keyof typeof most]);
  expect(grown).toEqual([]);
});
