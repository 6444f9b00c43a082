import { maxImported } from "../../../../shared/contracts/import/contracts.ts";
import type { ImportedThings } from "../../../../shared/contracts/import/things.ts";
import type { ThingOfFile } from "../../../queries/import/existing.ts";
import { collect } from "./collect.ts";
import type { FoundThing, Left, ReadingContext, TextFile } from "./readers/found.ts";

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

/** How many things are asked for at a time: a read of more would take longer than the database lets one. */
const askedAtOnce = 5_000;

/** Says of each thing whether it is here. */
export type AreHere = (things: readonly ThingOfFile[]) => Promise<readonly boolean[]>;

/** Reads files and asks which of their things are here already. */
export async function planImport(
  areHere: AreHere,
  files: readonly TextFile[],
  context: ReadingContext,
): Promise<ImportPlan> {
  const { found, ...told } = collect(files, context);
  const gone = await keysHere(found, areHere);
  const used = new Set(found.flatMap((one) => usedBy(one, gone)));
  const isMissed = ({ kind, thing }: FoundThing) =>
    "key" in thing && (!gone.has(thing.key) || (kind === "categories" && used.has(thing.key)));
  const { coming, completions, later } = withinLimits(found, isMissed);
  const things = noThings();
  for (const one of coming) put(things, one);
  return { ...told, things, completions, here: gone.size, later };
}

async function keysHere(found: readonly FoundThing[], areHere: AreHere): Promise<ReadonlySet<string>> {
  const things = found.flatMap(({ kind, thing, origin }) =>
    "key" in thing ? [{ kind, key: thing.key, ...(origin && { origin }) }] : [],
  );
  const keys = new Set<string>();
  for (let at = 0; at < things.length; at += askedAtOnce) {
    const some = things.slice(at, at + askedAtOnce);
    const here = await areHere(some);
    for (const [index, { key }] of some.entries()) if (here[index]) keys.add(key);
  }
  return keys;
}

/** As much as one import takes, in the order of the files. What comes later names its category by its key again. */
function withinLimits(found: readonly FoundThing[], isMissed: (one: FoundThing) => boolean) {
  const takes = createRoom();
  const histories = Map.groupBy(
    found.filter((one) => one.kind === "histories"),
    ({ thing }) => thing.habit,
  );
  const coming: FoundThing[] = [];
  let [completions, later] = [0, 0];
  for (const one of found) {
    if (one.kind === "histories" || !isMissed(one)) continue;
    const history = one.kind === "habits" ? (histories.get(one.thing.key) ?? []) : [];
    const days = history.reduce((sum, { thing }) => sum + thing.dates.length, 0);
    const fits = takes([one, ...history], days);
    if (fits) coming.push(one, ...history);
    completions += fits ? days : 0;
    later += fits ? 0 : 1;
  }
  return { coming, completions, later };
}

/** @returns a function that takes a thing with its history, where one import still has room for it */
function createRoom(): (thing: readonly FoundThing[], days: number) => boolean {
  const room: Record<keyof typeof maxImported, number> = { ...maxImported };
  return (thing, days) => {
    if (room.things === 0 || days > room.completions) return false;
    const { length } = JSON.stringify(thing);
    // What comes in one go is the beginning of the files, not whatever is short.
    room.things = length > room.length ? 0 : room.things - 1;
    if (length > room.length) return false;
    room.completions -= days;
    room.length -= length;
    return true;
  };
}

const noThings = (): ImportPlan["things"] => ({ categories: [], habits: [], histories: [], todos: [] });

/** The category that a thing needs which comes; a name leads to it if the person has it. */
const usedBy = ({ thing }: FoundThing, gone: ReadonlySet<string>): string[] =>
  "category" in thing && thing.category !== null && !gone.has(thing.key) ? [thing.category] : [];

function put(things: ImportPlan["things"], found: FoundThing): void {
  const list: unknown[] = things[found.kind];
  list.push(found.thing);
}
