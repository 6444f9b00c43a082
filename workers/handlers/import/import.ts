import type { Commands, OutputOf } from "../../../shared/contracts/catalogue.ts";
import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import type { ImportedThings } from "../../../shared/contracts/import/contracts.ts";
import { deletionKinds } from "../../../shared/db/entities/things.ts";
import type { ActionImagesRow, ImportPartRow } from "../../../shared/db/entities.ts";
import { shareTexts } from "../../../shared/domain/action/images.ts";
import { conflict, isRefused, type Refused } from "../../../shared/errors.ts";
import type { NumberedTable } from "../../unit-of-work/new-rows.ts";
import {
  allForUpdate,
  allWithoutLock,
  forUpdate,
  settingsForUpdate,
  withoutLock,
} from "../../unit-of-work/row-request.ts";
import { changedImages, writeAction } from "../action/action-log.ts";
import { newColumns } from "../columns.ts";
import { beginWork, type Handler, type HandlerContext, type Steps } from "../handler.ts";
import {
  completeDays,
  idOfThing,
  inSteps,
  insertHabits,
  insertTodos,
  type KnownThings,
  keysOf,
  knownHere,
  knownSince,
  namesOfDays,
  rowsOfDays,
  stagedParts,
  stagedThings,
  timesOf,
} from "./things.ts";

type ImportAction = Pick<ActionImagesRow, "called_at" | "request_id">;

/** @returns the time of an import in the log, in milliseconds: its steps have the microseconds after it */
const timeOfImport = ({ nowMs }: HandlerContext): string => new Date(nowMs).toISOString();

/**
 * Logs an import as one action, unless it makes nothing.
 * @param later names of rows that its other steps make, so that the log finds it by each of its things
 */
function logImport(context: HandlerContext, request_id: string, later: readonly string[]): void {
  const { before, after } = changedImages(context, context.takeChanges());
  const all = { ...Object.fromEntries(later.map((name) => [name, {}])), ...after };
  if (Object.keys(all).length === 0) return;
  const call = {
    ...{ requestId: request_id, startedAt: context.nowMs, tool: "import.apply", arguments: "{}" },
    ...({ door: "page", tokenId: "", clientName: null } as const),
  };
  writeAction(context, call, { outcome: "ok", replayed: false, images: { before, after: all } });
}

function logStep(context: HandlerContext, { called_at, request_id }: ImportAction, step: number): void {
  const { after } = changedImages(context, context.takeChanges());
  const json = JSON.stringify(after);
  if (json === "{}") return;
  context.images.insert({
    ...{ request_id, called_at: called_at.replace("Z", `${String(step).padStart(3, "0")}Z`) },
    ...{ before: "{}", after: shareTexts(after, json) },
  });
}

/** Makes the new things of parts, which then wait no longer. */
function makeThings(context: HandlerContext, parts: readonly ImportPartRow[], known: KnownThings) {
  const habits = stagedThings(parts, "habits").filter(known.isNew);
  const todos = stagedThings(parts, "todos").filter(known.isNew);
  const histories = stagedThings(parts, "histories");
  const ofNew = insertHabits(context, habits, histories, known);
  const completions = histories.reduce((sum, history) => sum + completeDays(context, history), ofNew);
  insertTodos(context, todos, known);
  for (const { part } of parts) context.importParts.remove(part);
  return { categories: 0, habits: habits.length, completions, todos: todos.length };
}

type Counts = OutputOf<Commands["import.continue"]>;
type ImportWork = Readonly<{
  import_id: string;
  action: ImportAction;
  /** The numbers of the parts of each step. */
  steps: readonly (readonly number[])[];
  made: Counts;
}>;

/** The number of finished steps, and all things that the import has made. */
type Progress = Readonly<{ finished: number; made: Counts }>;

const importSteps: Steps<ImportWork> = {
  async part({ cursor, input, perform }) {
    const { action, steps, made: first } = input;
    const { finished, made }: Progress = cursor === null ? { finished: 0, made: first } : JSON.parse(cursor);
    const step = finished + 1;
    const answer = await perform("import.continue", { ...action, step, parts: [...(steps[finished] ?? [])] });
    if (isRefused(answer)) throw new Error(`A step of an import was refused: ${answer.refusal.message}`);
    const sum = sumOf(made, answer);
    const done = thingsIn(answer) + (cursor === null ? thingsIn(first) : 0);
    if (step === steps.length) return { done, cursor: null, outcome: { body: sum } };
    return { done, cursor: JSON.stringify({ finished: step, made: sum } satisfies Progress) };
  },
  async left({ connection, userId, input }) {
    const { rows } = await connection.query<{ count: number }>(
      `select coalesce(sum(cardinality(keys)), 0)::int as count from import_parts
       where user_id = $1 and import_id = $2 and kind <> 'histories'`,
      [userId, input.import_id],
    );
    return rows[0]?.count ?? 0;
  },
};

const thingsIn = ({ categories, habits, todos }: Counts): number => categories + habits + todos;

const sumOf = (one: Counts, other: Counts): Counts => ({
  categories: one.categories + other.categories,
  habits: one.habits + other.habits,
  completions: one.completions + other.completions,
  todos: one.todos + other.todos,
});

/** A new file replaces the parts of an earlier one, so that unconfirmed files do not pile up. */
export const importStage: Handler<"import.stage"> = {
  stores: "more",
  idempotent: true,
  run({ importParts, now }, part) {
    importParts.upsert({ ...part, created_at: now });
    return null;
  },
};

const tables = ["categories", "habits", "todos"] as const satisfies readonly NumberedTable[];
type NewKeys = Readonly<Record<(typeof tables)[number], readonly string[]>>;

/**
 * Makes all things of a file. The first transaction makes the categories, and gives all other things their ids,
 * because a todo names its successor. Things from an earlier import of the file, and not deleted
 * since, stay as they are.
 */
export const importApply: Handler<"import.apply"> = {
  stores: "more",
  steps: importSteps,
  rows: () => [allForUpdate("import_parts"), settingsForUpdate, allWithoutLock("categories")],
  related(loaded, input) {
    const parts = stagedParts(loaded, input);
    const followers = stagedThings(splitWork(parts).atOnce, "todos").flatMap(({ next }) => next ?? []);
    const keys = [...tables.flatMap((table) => keysOf(parts, table)), ...followers];
    const makes = tables.flatMap((table) => keysOf(parts, table).map(() => table));
    const days = rowsOfDays(splitWork(parts).atOnce);
    return { rows: [...keys.flatMap((key) => withoutLock("import_keys", key)), ...days], makes };
  },
  run(context, input) {
    const parts = stagedParts(context, input);
    if (parts.length !== input.parts)
      return conflict("This file does not wait any more.", "Choose it again.");
    const known = knownHere(context.importKeys.all());
    const made = reserve(context, parts, known);
    if ("refusal" in made) return made;
    const { atOnce, steps } = splitWork(parts);
    const counts = { ...makeThings(context, atOnce, known), categories: made.categories.length };
    const { import_id } = input;
    const later = (["habits", "todos"] as const).flatMap((table) =>
      made[table].map((key) => `${table}/${idOfThing(known, { key })}`),
    );
    logImport(context, import_id, [...later, ...steps.flatMap(namesOfDays)]);
    if (steps.length === 0) return { ...counts, work_id: null };
    const work: ImportWork = {
      import_id,
      action: { called_at: timeOfImport(context), request_id: import_id },
      steps: steps.map((step) => step.map(({ part }) => part)),
      made: counts,
    };
    return { ...counts, work_id: beginWork(context, "import.apply", work) };
  },
};

/** A file that fits into one step needs no long work. */
function splitWork(parts: readonly ImportPartRow[]) {
  const steps = inSteps(parts);
  const [only = []] = steps;
  return steps.length > 1 ? { atOnce: [], steps } : { atOnce: only, steps: [] };
}

/** Makes the new categories, and gives all other new things their ids. */
function reserve(
  context: HandlerContext,
  parts: readonly ImportPartRow[],
  known: KnownThings,
): NewKeys | Refused {
  const newKeys = (table: NumberedTable) => keysOf(parts, table).filter((key) => known.isNew({ key }));
  const categories = stagedThings(parts, "categories").filter(known.isNew);
  // A category whose name the person already has is that one, because two of a name would confuse.
  const names = new Set(context.categories.all().map(({ name }) => name));
  const missing = categories.filter(({ name }) => !names.has(name));
  const made: NewKeys = {
    categories: missing.map(({ key }) => key),
    habits: newKeys("habits"),
    todos: newKeys("todos"),
  };
  for (const table of tables)
    for (const _ of made[table]) {
      const refused = context.useQuota(table);
      if (refused) return refused;
    }
  insertCategories(context, categories, missing, known);
  for (const { kind, part } of parts) if (kind === "categories") context.importParts.remove(part);
  for (const table of ["habits", "todos"] as const)
    for (const key of made[table]) known.ids.set(key, context.nextId(table));
  const created_at = timeOfImport(context);
  const named = { ...made, categories: categories.map(({ key }) => key) };
  for (const table of tables)
    for (const key of named[table])
      context.importKeys.upsert({
        key,
        kind: deletionKinds[table],
        id: idOfThing(known, { key }),
        created_at,
      });
  return made;
}

/** A category may have been deleted since the import began; another todo of a series may come in a later step. */
export const importContinue: Handler<"import.continue"> = {
  rows: ({ parts }) => [
    settingsForUpdate,
    allWithoutLock("categories"),
    ...parts.map((part) => forUpdate("import_parts", part)),
  ],
  related({ importParts }) {
    const parts = importParts.all();
    const [habits, todos] = [stagedThings(parts, "habits"), stagedThings(parts, "todos")];
    const categories = [...habits, ...todos].flatMap(({ category }) => category ?? []);
    const own = [
      ...habits.map(({ key }) => key),
      ...todos.flatMap(({ key, next }) => [key, next ?? []].flat()),
    ];
    const known = categories.flatMap((key) => withoutLock("import_keys", key));
    return { rows: [...known, ...own.map((key) => forUpdate("import_keys", key)), ...rowsOfDays(parts)] };
  },
  run(context, { step, ...action }) {
    const known = knownSince(context.importKeys.all(), action.called_at);
    const made = makeThings(context, context.importParts.all(), known);
    logStep(context, action, step);
    return made;
  },
};

type ImportedCategory = ImportedThings["categories"];

export function insertCategories(
  context: HandlerContext,
  things: readonly ImportedCategory[],
  missing: readonly ImportedCategory[],
  { ids }: KnownThings,
): void {
  const { categories, nextId } = context;
  const byName = new Map(categories.all().map(({ name, id }) => [name, id]));
  for (const thing of missing) {
    const id = nextId("categories");
    categories.insert({ id, ...newColumns(categoryFields, thing), ...timesOf(context, thing) });
    ids.set(thing.key, id);
  }
  for (const { key, name } of things) {
    const id = ids.get(key) ?? byName.get(name);
    if (id !== undefined) ids.set(key, id);
  }
}
