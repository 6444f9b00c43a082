import type { ImportedKind } from "../../../../shared/contracts/import/contracts.ts";
import type { ImportPlan } from "./plan.ts";

/** Parts are no larger than other commands, so that a file delays nobody's. */
const partLength = 48_000;
const datesInPart = 1_000;

/** Things of one kind with their keys, as JSON; a history has the key of its habit. */
export type Part = Readonly<{ kind: ImportedKind; keys: string[]; content: string }>;
type Things = ImportPlan["things"];

/** The things of a plan, in parts no longer than other commands. Histories follow their habits. */
export function* partsOf({ categories, habits, histories, todos }: Things): Generator<Part> {
  const byHabit = Map.groupBy(histories.flatMap(shortHistories), ({ habit }) => habit);
  const withHistory = (habit: Things["habits"][number]) => [habit, byHabit.get(habit.key)];
  for (const list of inParts(categories)) yield partOf("categories", list);
  for (const list of inParts(habits, withHistory)) {
    yield partOf("habits", list);
    const days = list.flatMap(({ key }) => byHabit.get(key) ?? []);
    for (const some of inParts(days)) yield partOf("histories", some);
  }
  for (const list of inParts(todos)) yield partOf("todos", list);
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

function shortHistories({ habit, dates, times, sums, notes }: Things["histories"][number]) {
  const count = Math.ceil(Math.max(dates.length, sums?.length ?? 0) / datesInPart);
  const days = Array.from({ length: count }, (_, index) => {
    const part = [index * datesInPart, (index + 1) * datesInPart] as const;
    return {
      habit,
      dates: dates.slice(...part),
      times: times.slice(...part),
      sums: sums?.slice(...part) ?? null,
      notes: null,
    };
  });
  const withNotes = inParts(notes ?? []).map((some) => ({
    habit,
    dates: [],
    times: [],
    sums: null,
    notes: some,
  }));
  return [...days, ...withNotes];
}
