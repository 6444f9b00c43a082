import type { ImportedThings } from "../../../../shared/contracts/import/contracts.ts";
import { maxImported } from "../../../../shared/contracts/import/contracts.ts";
import type { ThingOfFile } from "../../../queries/import/read.ts";
import { collect } from "./collect.ts";
import { daysIn, type FoundThing, type Left, type ReadingContext, type TextFile } from "./readers/found.ts";

/** The things that an upload would make. */
export type ImportPlan = Readonly<{
  things: { [Kind in keyof ImportedThings]: ImportedThings[Kind][] };
  completions: number;
  /** The number of things that exist already. */
  here: number;
  /** The number of things that do not fit into one import. */
  later: number;
  /** The first things that are not imported, or not whole; `leftCount` has the number of all. */
  left: readonly Left[];
  leftCount: number;
}>;

/** A read of more things at a time would exceed the database's time limit. */
const askedAtOnce = 5_000;

/** Tells for each thing whether it exists already. */
export type AreHere = (things: readonly ThingOfFile[]) => Promise<readonly boolean[]>;

/** Reads files and asks which of their things exist already. */
export async function planImport(
  areHere: AreHere,
  files: readonly TextFile[],
  context: ReadingContext,
): Promise<ImportPlan> {
  const { found, ...summary } = collect(files, context);
  const gone = await keysHere(found, areHere);
  const used = new Set(found.flatMap((one) => usedBy(one, gone)));
  const isMissed = ({ kind, thing }: FoundThing) =>
    "key" in thing && (!gone.has(thing.key) || (kind === "categories" && used.has(thing.key)));
  const { coming, completions, later } = withinLimits(found, isMissed);
  const things = noThings();
  for (const one of coming) put(things, one);
  return { ...summary, things, completions, here: gone.size, later };
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

/**
 * Takes as much as one import allows, in the order of the files. Things of a later import name their category by its
 * key again.
 */
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
    const days = history.reduce((sum, { thing }) => sum + daysIn(thing), 0);
    const fits = takes([one, ...history], days);
    if (fits) coming.push(one, ...history);
    completions += fits ? days : 0;
    later += fits ? 0 : 1;
  }
  return { coming, completions, later };
}

/** @returns a function that takes a thing with its history if the import still has room for both */
function createRoom(): (thing: readonly FoundThing[], days: number) => boolean {
  const room: Record<keyof typeof maxImported, number> = { ...maxImported };
  return (thing, days) => {
    if (room.things === 0 || days > room.completions) return false;
    const { length } = JSON.stringify(thing);
    // An import takes the beginning of the files, so nothing shorter may follow a thing that did not fit.
    room.things = length > room.length ? 0 : room.things - 1;
    if (length > room.length) return false;
    room.completions -= days;
    room.length -= length;
    return true;
  };
}

const noThings = (): ImportPlan["things"] => ({ categories: [], habits: [], histories: [], todos: [] });

/** The category that a thing to import needs. A category that exists already is found by its name. */
const usedBy = ({ thing }: FoundThing, gone: ReadonlySet<string>): string[] =>
  "category" in thing && thing.category !== null && !gone.has(thing.key) ? [thing.category] : [];

function put(things: ImportPlan["things"], found: FoundThing): void {
  const list: unknown[] = things[found.kind];
  list.push(found.thing);
}
