import type { ImportedThings } from "../../../../../shared/contracts/import/things.ts";
import { exportFormat } from "../../export/exported-things.ts";
import { type ExportedAs, type Finding, keyOf, left } from "./found.ts";
import { numberIn, objectIn, objectsIn, textIn } from "./json-fields.ts";

type Fields = Readonly<Record<string, unknown>>;
type Kind = "categories" | "habits" | "todos";
type Keys = ReadonlyMap<unknown, string>;

/** A thing has the same key in every file from the same server. */
const keyIn = (kind: Kind, { id, created_at }: Fields): string =>
  keyOf("kept", kind, numberIn(id) ?? 0, textIn(created_at));

const keysById = (kind: Kind, things: readonly Fields[]): Keys =>
  new Map(things.map((thing) => [thing.id, keyIn(kind, thing)]));

function originOf({ id, created_at }: Fields): { origin?: ExportedAs } {
  const number = numberIn(id);
  return number === undefined ? {} : { origin: { id: number, created_at: textIn(created_at) } };
}

/** True for our own export, of any version. */
export const isKeptExport = (value: unknown): boolean => objectIn(value).format === exportFormat.format;

/** Reads a file from `/account/data/export?format=json`. Its settings are left out. */
export function* readKept(value: unknown): Generator<Finding> {
  const file = objectIn(value);
  if (file.version !== exportFormat.version)
    return yield left(
      `Version ${numberIn(file.version) ?? "unknown"}`,
      "This file was made by a newer Kept. Update this one first.",
    );
  const [categories, habits, todos] = [file.categories, file.habits, file.todos].map(objectsIn);
  const categoryKeys = keysById("categories", categories ?? []);
  const habitKeys = keysById("habits", habits ?? []);
  const todoKeys = keysById("todos", todos ?? []);
  // These are checked later like any file's, so the types are only claims of the file.
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

function* histories(completions: readonly Fields[], habitKeys: Keys): Generator<Finding> {
  const byHabit = new Map<string, ImportedThings["histories"]>();
  let homeless = 0;
  for (const { habit_id, date, completed_at } of completions) {
    const habit = habitKeys.get(habit_id);
    if (habit === undefined) {
      homeless += 1;
      continue;
    }
    const history = byHabit.get(habit) ?? { habit, dates: [], times: [] };
    byHabit.set(habit, history);
    history.dates.push(textIn(date));
    history.times.push(textIn(completed_at) || null);
  }
  if (homeless > 0) yield left("", `Completions of habits that are not in the file: ${homeless}.`);
  for (const thing of byHabit.values()) yield { kind: "histories", thing };
}

/** The check of all things drops unknown fields. */
const thingIn = <Of extends Kind>(key: string, fields: Fields): ImportedThings[Of] =>
  ({ ...fields, key }) as unknown as ImportedThings[Of];
