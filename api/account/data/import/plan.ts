import { maxImported } from "../../../../shared/contracts/import.ts";
import type { ImportedThings } from "../../../../shared/contracts/import-things.ts";
import { createGiveWay } from "../../../http/give-way.ts";
import type { QueryContext } from "../../../queries/context.ts";
import { readWhatIsHere } from "../../../queries/imported.ts";
import { createChecker, isLeft } from "./check.ts";
import type { FoundThing, Left, ReadingContext, TextFile } from "./found.ts";
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
  const { found, left, leftCount, refusal } = await collect(files, context);
  if (refusal !== undefined) return { ...emptyPlan(), left, leftCount, refusal };
  const isHere = await readWhatIsHere(query, found);
  const plan = { ...emptyPlan(), left, leftCount };
  const gone = new Set(found.flatMap((one) => ("key" in one.thing && isHere(one) ? [one.thing.key] : [])));
  const used = new Set(found.flatMap((one) => usedBy(one, gone)));
  let [completions, here] = [0, 0];
  for (const one of found) {
    const isGone = "habit" in one.thing ? gone.has(one.thing.habit) : gone.has(one.thing.key);
    const isMissed = one.kind === "categories" && used.has(one.thing.key);
    if (isGone && one.kind !== "histories") here += 1;
    if (isGone && !isMissed) continue;
    if (one.kind === "histories") completions += one.thing.dates.length;
    put(plan.things, one);
  }
  return { ...plan, completions, here };
}

const emptyPlan = (): ImportPlan => ({
  ...{ things: { categories: [], habits: [], histories: [], todos: [] }, completions: 0, here: 0 },
  ...{ refusal: undefined, left: [], leftCount: 0 },
});

/** The category that a thing needs which comes; a name leads to it if the person has it. */
const usedBy = ({ thing }: FoundThing, gone: ReadonlySet<string>): string[] =>
  "category" in thing && thing.category !== null && !gone.has(thing.key) ? [thing.category] : [];

function put(things: ImportPlan["things"], found: FoundThing): void {
  const list: unknown[] = things[found.kind];
  list.push(found.thing);
}

async function collect(files: readonly TextFile[], context: ReadingContext) {
  const { check } = createChecker(context);
  const giveWay = createGiveWay();
  const [found, left]: [FoundThing[], Left[]] = [[], []];
  const keys = new Set<string>();
  let [leftCount, completions, things] = [0, 0, 0];
  for (const one of readFiles(files, context)) {
    await giveWay();
    for (const checked of isLeft(one) ? [one] : check(one)) {
      if (isLeft(checked)) {
        leftCount += 1;
        if (left.length < mostLeftShown) left.push(checked);
      } else if (checked.kind === "histories") {
        completions += checked.thing.dates.length;
        found.push(checked);
      } else if (!keys.has(checked.thing.key)) {
        keys.add(checked.thing.key);
        things += 1;
        found.push(checked);
      }
    }
    const isTooMuch = things > maxImported.things || completions > maxImported.completions;
    if (isTooMuch) return { found, left, leftCount, refusal: tooMuch };
  }
  return { found, left, leftCount, refusal: undefined };
}
