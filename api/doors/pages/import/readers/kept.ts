import type { ImportedThings } from "../../../../../shared/contracts/import/contracts.ts";
import { exportFormat } from "../../export/exported-things.ts";
import { type JsonFields as Fields, numberIn, objectIn, objectsIn, textIn } from "./fields.ts";
import { type ExportedAs, type Finding, keyOf, left } from "./found.ts";

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

/** True for an export by Kept, of any version. */
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
  const categoryOf = ({ category_id }: Fields) => categoryKeys.get(category_id) ?? null;
  yield* thingsIn("categories", categories ?? [], () => ({}));
  yield* thingsIn("habits", habits ?? [], (one) => ({ category: categoryOf(one) }));
  yield* histories(objectsIn(file.completions), objectsIn(file.amounts), habitKeys);
  yield* thingsIn("todos", todos ?? [], (one) => ({
    category: categoryOf(one),
    next: todoKeys.get(one.next_todo_id) ?? null,
  }));
}

/** The check of all things drops unknown fields; until then the types are only claims of the file. */
function* thingsIn(kind: Kind, list: readonly Fields[], links: (one: Fields) => Fields): Generator<Finding> {
  for (const one of list) {
    const thing: Fields = { ...one, ...links(one), key: keyIn(kind, one) };
    yield { kind, ...originOf(one), thing } as unknown as Finding;
  }
}

function* histories(
  completions: readonly Fields[],
  amounts: readonly Fields[],
  habitKeys: Keys,
): Generator<Finding> {
  const byHabit = new Map<string, History>();
  let homeless = 0;
  const historyOf = ({ habit_id }: Fields): History | undefined => {
    const habit = habitKeys.get(habit_id);
    if (habit === undefined) return undefined;
    const history = byHabit.get(habit) ?? { habit, dates: [], times: [], sums: [], notes: [] };
    byHabit.set(habit, history);
    return history;
  };
  for (const completion of completions) {
    const history = historyOf(completion);
    if (!history) homeless += 1;
    history?.dates.push(textIn(completion.date));
    history?.times.push(textIn(completion.completed_at) || null);
    const note = textIn(completion.note);
    if (note) history?.notes.push({ date: textIn(completion.date), note });
  }
  for (const day of amounts) {
    const { date, amount, target } = day;
    historyOf(day)?.sums.push({
      date: textIn(date),
      amount: numberIn(amount) ?? 0,
      target: numberIn(target) ?? 0,
    });
  }
  if (homeless > 0) yield left("", `Completions of habits that are not in the file: ${homeless}.`);
  for (const thing of byHabit.values()) yield { kind: "histories", thing };
}

type History = Omit<ImportedThings["histories"], "id"> &
  Readonly<{ [Name in "sums" | "notes"]: NonNullable<ImportedThings["histories"][Name]> }>;
