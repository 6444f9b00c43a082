import type { ImportedThings } from "../../../../shared/contracts/import-things.ts";
import { exportFormat } from "../exported-things.ts";
import { type Finding, keyOf, left, type Origin } from "./found.ts";
import { numberIn, objectIn, objectsIn, textIn } from "./json-fields.ts";

type Fields = Readonly<Record<string, unknown>>;
type Kind = "categories" | "habits" | "todos";

/** A thing is the same in every file from the place where it was made. */
const keyIn = (kind: Kind, { id, created_at }: Fields): string =>
  keyOf("kept", kind, numberIn(id) ?? 0, textIn(created_at));

const keysById = (kind: Kind, things: readonly Fields[]): ReadonlyMap<unknown, string> =>
  new Map(things.map((thing) => [thing.id, keyIn(kind, thing)]));

function originOf({ id, created_at }: Fields): { origin?: Origin } {
  const number = numberIn(id);
  return number === undefined ? {} : { origin: { id: number, created_at: textIn(created_at) } };
}

/** Whether this is a file of ours, of whatever version. */
export const isKeptExport = (value: unknown): boolean => objectIn(value).format === exportFormat.format;

/** Reads a file that `/account/data/export?format=json` made. What it says of settings is left. */
export function* readKept(value: unknown): Generator<Finding> {
  const file = objectIn(value);
  if (file.version !== exportFormat.version)
    return yield left(
      `Version ${String(file.version)}`,
      "This file was made by a newer Kept. Update this one first.",
    );
  const [categories, habits, todos] = [file.categories, file.habits, file.todos].map(objectsIn);
  const categoryKeys = keysById("categories", categories ?? []);
  const habitKeys = keysById("habits", habits ?? []);
  const todoKeys = keysById("todos", todos ?? []);
  // Checked like anybody's file when it is put together with others, so the types are what it says of itself.
  for (const one of categories ?? [])
    yield {
      kind: "categories",
      ...originOf(one),
      thing: thingIn<"categories">(keyIn("categories", one), one),
    };
  for (const one of habits ?? []) {
    const category = categoryKeys.get(one.category_id) ?? null;
    yield {
      kind: "habits",
      ...originOf(one),
      thing: thingIn<"habits">(keyIn("habits", one), { ...one, category }),
    };
  }
  yield* histories(objectsIn(file.completions), habitKeys);
  for (const one of todos ?? []) {
    const category = categoryKeys.get(one.category_id) ?? null;
    const next = todoKeys.get(one.next_todo_id) ?? null;
    const thing = thingIn<"todos">(keyIn("todos", one), { ...one, category, next });
    yield { kind: "todos", ...originOf(one), thing };
  }
}

function* histories(
  completions: readonly Fields[],
  habitKeys: ReadonlyMap<unknown, string>,
): Generator<Finding> {
  for (const [id, some] of Map.groupBy(completions, ({ habit_id }) => habit_id)) {
    const habit = habitKeys.get(id);
    if (habit === undefined) {
      yield left(`Habit ${String(id)}`, "Its completions are in the file, but it is not.");
      continue;
    }
    const dates = some.map(({ date }) => textIn(date));
    const times = some.map(({ completed_at }) => textIn(completed_at) || null);
    yield { kind: "histories", thing: { habit, dates, times } };
  }
}

/** Fields that no thing has are dropped where all things are checked. */
const thingIn = <Of extends Kind>(key: string, fields: Fields): ImportedThings[Of] =>
  ({ ...fields, key }) as unknown as ImportedThings[Of];
