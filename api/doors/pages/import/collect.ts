import { createChecker, isLeft } from "./check.ts";
import {
  type FoundThing,
  type Left,
  left,
  mostFound,
  type ReadingContext,
  type TextFile,
} from "./readers/found.ts";
import { readFiles } from "./readers/read-files.ts";

const mostLeftShown = 100;

/** Characters of JSON, enough for the largest files. Things may repeat text that their file has once. */
const mostLength = 32_000_000;

/** The things in the files; `left` has the first ones that are not imported, `leftCount` the number of all. */
type Collection = Readonly<{ found: readonly FoundThing[]; left: readonly Left[]; leftCount: number }>;

/** Reads and checks the things of all files. */
export function collect(files: readonly TextFile[], context: ReadingContext): Collection {
  const { check } = createChecker(context);
  const { put, isFull, collection } = createCollector();
  for (const one of readFiles(files, context)) {
    if (isFull()) {
      const { found, left, leftCount } = collection();
      return { found, left: [endMissing, ...left], leftCount: leftCount + 1 };
    }
    for (const checked of isLeft(one) ? [one] : check(one)) put(checked);
  }
  return collection();
}

const endMissing = left(
  "",
  "These files are too long for one upload, so their end was left out. Choose smaller ones.",
);

function createCollector() {
  const [found, shown, keys]: [FoundThing[], Left[], Set<string>] = [[], [], new Set()];
  let [leftCount, length] = [0, 0];
  const leave = (one: Left) => {
    leftCount += 1;
    if (shown.length < mostLeftShown) shown.push(one);
  };
  return {
    put(one: FoundThing | Left) {
      if (isLeft(one)) return leave(one);
      const { thing } = one;
      if ("key" in thing && keys.has(thing.key)) return leave(twice(thing));
      if ("key" in thing) keys.add(thing.key);
      found.push(one);
      length += JSON.stringify(thing).length;
    },
    isFull: () => found.length + leftCount >= mostFound || length > mostLength,
    collection: (): Collection => ({ found, left: shown, leftCount }),
  };
}

const twice = ({ name = "", title = name }: Readonly<{ name?: string; title?: string }>): Left =>
  left(title, "It is in these files twice, and comes once.");
