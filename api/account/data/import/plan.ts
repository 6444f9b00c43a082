import { maxImported } from "../../../../shared/contracts/import.ts";
import type { ImportedThings } from "../../../../shared/contracts/import-things.ts";
import { createGiveWay } from "../../../http/give-way.ts";
import type { QueryContext } from "../../../queries/context.ts";
import { readWhatIsHere } from "../../../queries/imported.ts";
import { createChecker, isLeft } from "./check.ts";
import { type FoundThing, type Left, left, type ReadingContext, type TextFile } from "./found.ts";
import { readFiles } from "./read-files.ts";

/** What an upload would make. */
export type ImportPlan = Readonly<{
  things: { [Kind in keyof ImportedThings]: ImportedThings[Kind][] };
  completions: number;
  /** How many things of the files are here already. */
  here: number;
  /** How many would come that one import has no room for. */
  later: number;
  /** What does not come, or not as a whole: the first of it, and how much there is. */
  left: readonly Left[];
  leftCount: number;
}>;

const mostLeftShown = 100;

/** Reads files and looks what of them is here already. Other requests of this process go on meanwhile. */
export async function planImport(
  query: QueryContext,
  files: readonly TextFile[],
  context: ReadingContext,
): Promise<ImportPlan> {
  const { found, ...told } = await collect(files, context);
  const isHere = await readWhatIsHere(query, found);
  const gone = new Set(found.flatMap((one) => ("key" in one.thing && isHere(one) ? [one.thing.key] : [])));
  const used = new Set(found.flatMap((one) => usedBy(one, gone)));
  const isMissed = ({ kind, thing }: FoundThing) =>
    "key" in thing && (!gone.has(thing.key) || (kind === "categories" && used.has(thing.key)));
  const { coming, completions, later } = withinLimits(found, isMissed);
  const things = noThings();
  for (const one of coming) put(things, one);
  return { ...told, things, completions, here: gone.size, later };
}

/** As much as one import takes, in the order of the files. What comes later names its category by its key again. */
function withinLimits(found: readonly FoundThing[], isMissed: (one: FoundThing) => boolean) {
  const histories = Map.groupBy(
    found.filter((one) => one.kind === "histories"),
    ({ thing }) => thing.habit,
  );
  const coming: FoundThing[] = [];
  let [things, completions, later] = [0, 0, 0];
  for (const one of found) {
    if (one.kind === "histories" || !isMissed(one)) continue;
    const history = one.kind === "habits" ? (histories.get(one.thing.key) ?? []) : [];
    const days = history.reduce((sum, { thing }) => sum + thing.dates.length, 0);
    const fits = things < maxImported.things && completions + days <= maxImported.completions;
    if (fits) coming.push(one, ...history);
    things += fits ? 1 : 0;
    completions += fits ? days : 0;
    later += fits ? 0 : 1;
  }
  return { coming, completions, later };
}

const noThings = (): ImportPlan["things"] => ({ categories: [], habits: [], histories: [], todos: [] });

/** The category that a thing needs which comes; a name leads to it if the person has it. */
const usedBy = ({ thing }: FoundThing, gone: ReadonlySet<string>): string[] =>
  "category" in thing && thing.category !== null && !gone.has(thing.key) ? [thing.category] : [];

function put(things: ImportPlan["things"], found: FoundThing): void {
  const list: unknown[] = things[found.kind];
  list.push(found.thing);
}

type Collection = { found: FoundThing[]; left: Left[]; leftCount: number };

async function collect(files: readonly TextFile[], context: ReadingContext): Promise<Collection> {
  const { check } = createChecker(context);
  const giveWay = createGiveWay();
  const collection: Collection = { found: [], left: [], leftCount: 0 };
  const keys = new Set<string>();
  for (const one of readFiles(files, context)) {
    await giveWay();
    for (const checked of one === undefined ? [] : isLeft(one) ? [one] : check(one)) {
      if (isLeft(checked)) leave(collection, checked);
      else if ("key" in checked.thing && keys.has(checked.thing.key)) leave(collection, twice(checked.thing));
      else {
        collection.found.push(checked);
        if ("key" in checked.thing) keys.add(checked.thing.key);
      }
    }
  }
  return collection;
}

function leave(collection: Collection, one: Left): void {
  collection.leftCount += 1;
  if (collection.left.length < mostLeftShown) collection.left.push(one);
}

const twice = ({ name = "", title = name }: Readonly<{ name?: string; title?: string }>): Left =>
  left(title, "It is in these files twice, and comes once.");
