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
  /** Why all of it is refused. */
  refusal: string | undefined;
  /** What does not come, or not as a whole: the first of it, and how much there is. */
  left: readonly Left[];
  leftCount: number;
}>;

const mostLeftShown = 100;
const count = (number: number) => number.toLocaleString("en");
const tooMuch = `These files have more than one import takes: ${count(maxImported.things)} habits, todos and categories with ${count(maxImported.completions)} completions. Import them in parts.`;

/** Reads files and looks what of them is here already. Other requests of this process go on meanwhile. */
export async function planImport(
  query: QueryContext,
  files: readonly TextFile[],
  context: ReadingContext,
): Promise<ImportPlan> {
  const { found, ...told } = await collect(files, context);
  const plan: ImportPlan = { ...told, things: noThings(), completions: 0, here: 0 };
  if (plan.refusal !== undefined) return plan;
  const isHere = await readWhatIsHere(query, found);
  const gone = new Set(found.flatMap((one) => ("key" in one.thing && isHere(one) ? [one.thing.key] : [])));
  const used = new Set(found.flatMap((one) => usedBy(one, gone)));
  const isMissed = ({ kind, thing }: FoundThing) =>
    "key" in thing && (!gone.has(thing.key) || (kind === "categories" && used.has(thing.key)));
  const coming = new Map(
    found.flatMap((one) => ("key" in one.thing && isMissed(one) ? [[one.thing.key, one]] : [])),
  );
  for (const one of coming.values()) put(plan.things, one);
  const histories = found.filter((one) => one.kind === "histories" && coming.has(one.thing.habit));
  for (const one of histories) put(plan.things, one);
  const completions = plan.things.histories.reduce((sum, { dates }) => sum + dates.length, 0);
  return { ...plan, completions, here: gone.size };
}

const noThings = (): ImportPlan["things"] => ({ categories: [], habits: [], histories: [], todos: [] });

/** The category that a thing needs which comes; a name leads to it if the person has it. */
const usedBy = ({ thing }: FoundThing, gone: ReadonlySet<string>): string[] =>
  "category" in thing && thing.category !== null && !gone.has(thing.key) ? [thing.category] : [];

function put(things: ImportPlan["things"], found: FoundThing): void {
  const list: unknown[] = things[found.kind];
  list.push(found.thing);
}

type Collection = { found: FoundThing[]; left: Left[]; leftCount: number; refusal: string | undefined };

async function collect(files: readonly TextFile[], context: ReadingContext): Promise<Collection> {
  const { check } = createChecker(context);
  const giveWay = createGiveWay();
  const collection: Collection = { found: [], left: [], leftCount: 0, refusal: undefined };
  const keys = new Set<string>();
  let completions = 0;
  for (const one of readFiles(files, context)) {
    await giveWay();
    for (const checked of one === undefined ? [] : isLeft(one) ? [one] : check(one)) {
      if (isLeft(checked)) leave(collection, checked);
      else if (checked.kind === "histories") completions += checked.thing.dates.length;
      else if (keys.has(checked.thing.key)) leave(collection, twice(checked.thing));
      else keys.add(checked.thing.key);
      if (!isLeft(checked)) collection.found.push(checked);
    }
    const isTooMuch = keys.size > maxImported.things || completions > maxImported.completions;
    if (isTooMuch) return { ...collection, refusal: tooMuch };
  }
  return collection;
}

function leave(collection: Collection, one: Left): void {
  collection.leftCount += 1;
  if (collection.left.length < mostLeftShown) collection.left.push(one);
}

const twice = ({ name = "", title = name }: Readonly<{ name?: string; title?: string }>): Left =>
  left(title, "It is in these files twice, and comes once.");
