import { expect, test } from "bun:test";
import { importsOf, list, sources } from "./sources.ts";

/** A folder's rooms are the files and folders in it; an arrow is an import from one room into another. */
type Arrow = Readonly<{ folder: string; from: string; to: string; by: string }>;

/** The arrow of an import belongs to the deepest folder that contains both files. */
function arrowOf(path: string, target: string): Arrow {
  const [ways, otherWays] = [path.split("/"), target.split("/")];
  let depth = 0;
  while (ways[depth] === otherWays[depth]) depth += 1;
  const folder = ways.slice(0, depth).join("/");
  return { folder, from: ways[depth] ?? "", to: otherWays[depth] ?? "", by: `${path} → ${target}` };
}

const arrows: Arrow[] = [];
for (const path of sources) for (const target of await importsOf(path)) arrows.push(arrowOf(path, target));

/** Rooms from which a room leads back to itself. */
function cyclesIn(folder: string): string[] {
  const own = arrows.filter((arrow) => arrow.folder === folder);
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of own) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    [...(targets.get(from) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  return own.filter(({ from, to }) => reaches(to, from)).map(({ by }) => by);
}

test("in every folder files and folders import one another in one direction", () => {
  const folders = new Set(arrows.map(({ folder }) => folder));
  expect([...folders].flatMap(cyclesIn)).toEqual([]);
});

test("the top folders have few rooms", () => {
  const rooms = (folder: string) =>
    new Set(list(`${folder}/**`).map((path) => path.split("/").slice(0, 2).join("/"))).size;
  expect(rooms("api")).toBeLessThanOrEqual(13);
  expect(rooms("workers")).toBeLessThanOrEqual(9);
  expect(rooms("shared")).toBeLessThanOrEqual(9);
});
