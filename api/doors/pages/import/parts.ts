import type { ImportedKind, ImportedThings } from "../../../../shared/contracts/import/contracts.ts";

type History = ImportedThings["histories"];

export const datesOfSums = ({ sums }: History): string[] => (sums ?? []).map(({ date }) => date);

/** The part of a history on some days, each once. */
export const onDays = (history: History, days: ReadonlySet<string>): History => {
  const times = new Map(history.dates.map((date, index) => [date, history.times[index] ?? null]));
  const dates = [...times.keys()].filter((date) => days.has(date));
  return {
    ...{ ...history, dates, times: dates.map((date) => times.get(date) ?? null) },
    sums: history.sums?.filter(({ date }) => days.has(date)) ?? null,
    notes: history.notes?.filter(({ date }) => days.has(date)) ?? null,
  };
};

/** Parts are no larger than other commands, so that a file delays nobody's. */
const partLength = 48_000;

/** Things of one kind with their keys, as JSON; a history has the key of its habit if that is new. */
export type Part = Readonly<{ kind: ImportedKind; keys: string[]; content: string }>;
type Things = { readonly [Kind in ImportedKind]: readonly ImportedThings[Kind][] };

/** The things of a plan, in parts no longer than other commands. Histories follow their habits. */
export function* partsOf({ categories, habits, histories, todos }: Things): Generator<Part> {
  const ofNew = histories.filter(({ id }) => id === null);
  const byHabit = Map.groupBy(ofNew.flatMap(shortHistories), ({ habit }) => habit);
  const withHistory = (habit: Things["habits"][number]) => [habit, byHabit.get(habit.key)];
  for (const list of inParts(categories)) yield partOf("categories", list);
  for (const list of inParts(habits, withHistory)) {
    yield partOf("habits", list);
    const days = list.flatMap(({ key }) => byHabit.get(key) ?? []);
    for (const some of inParts(days)) yield partOf("histories", some);
  }
  for (const list of inParts(todos)) yield partOf("todos", list);
  const added = histories.filter(({ id }) => id !== null).flatMap(shortHistories);
  for (const some of inParts(added)) yield { ...partOf("histories", some), keys: [] };
}

const partOf = (
  kind: ImportedKind,
  list: readonly (Readonly<{ key: string }> | Readonly<{ habit: string }>)[],
): Part => ({
  kind,
  keys: list.map((thing) => ("key" in thing ? thing.key : thing.habit)),
  content: JSON.stringify(list),
});

/** @param whole gives the value whose JSON counts */
function inParts<Thing>(
  things: readonly Thing[],
  whole: (thing: Thing) => unknown = (one) => one,
): Thing[][] {
  const parts: Thing[][] = [];
  let room = 0;
  for (const thing of things) {
    const { length } = JSON.stringify(whole(thing));
    if (parts.length === 0 || length > room) {
      parts.push([]);
      room = partLength;
    }
    parts.at(-1)?.push(thing);
    room -= length;
  }
  return parts;
}

/** Fewer days than a part can hold, with the longest notes. */
const daysInList = 80;

function shortHistories(history: History): History[] {
  const days = [...new Set([...history.dates, ...datesOfSums(history)])];
  return Array.from({ length: Math.ceil(days.length / daysInList) }, (_, index) =>
    onDays(history, new Set(days.slice(index * daysInList, (index + 1) * daysInList))),
  );
}
