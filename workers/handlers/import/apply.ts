import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import { conflict } from "../../../shared/errors.ts";
import type { NumberedTable } from "../../unit-of-work/new-rows.ts";
import {
  allForUpdate,
  allWithoutLock,
  settingsForUpdate,
  withoutLock,
} from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { insertCategories, missingCategories } from "./categories.ts";
import { insertHabits } from "./habits.ts";
import { type KnownIds, stagedParts, stagedThings } from "./parts.ts";
import { insertTodos } from "./todos.ts";

const tables = ["categories", "habits", "todos"] as const satisfies readonly NumberedTable[];

/**
 * Makes all things of a file in one transaction: all or none. Things from an earlier import of the file, and not
 * deleted since, stay as they are.
 */
export const importApply: Handler<"import.apply"> = {
  stores: "more",
  rows: () => [allForUpdate("import_parts"), settingsForUpdate, allWithoutLock("categories")],
  related(loaded, input) {
    const parts = stagedParts(loaded, input);
    const keys = parts.flatMap((row) => row.keys);
    const followers = stagedThings(parts, "todos").flatMap(({ next }) => next ?? []);
    const makes = tables.flatMap((table) =>
      parts.flatMap((row) => (row.kind === table ? row.keys.map(() => table) : [])),
    );
    return { rows: [...keys, ...followers].flatMap((key) => withoutLock("import_keys", key)), makes };
  },
  run(context, input) {
    const parts = stagedParts(context, input);
    if (parts.length !== input.parts)
      return conflict("This file does not wait any more.", "Choose it again.");
    const known: KnownIds = new Map(context.importKeys.all().map(({ key, id }) => [key, id]));
    const isNew = ({ key }: { key: string }) => !known.has(key);
    const categories = stagedThings(parts, "categories").filter(isNew);
    const made = {
      categories: missingCategories(context, categories),
      habits: stagedThings(parts, "habits").filter(isNew),
      todos: stagedThings(parts, "todos").filter(isNew),
    };
    for (const table of tables)
      for (const _ of made[table]) {
        const refused = context.useQuota(table);
        if (refused) return refused;
      }
    insertCategories(context, categories, made.categories, known);
    const completions = insertHabits(context, made.habits, stagedThings(parts, "histories"), known);
    insertTodos(context, made.todos, known);
    for (const { part } of context.importParts.all()) context.importParts.remove(part);
    const things = { ...made, categories };
    for (const table of tables) noteKeys(context, table, things[table], known);
    return {
      categories: made.categories.length,
      habits: made.habits.length,
      completions,
      todos: made.todos.length,
    };
  },
};

function noteKeys(
  { importKeys, now }: HandlerContext,
  table: NumberedTable,
  things: readonly { key: string }[],
  known: KnownIds,
): void {
  for (const { key } of things) {
    const id = known.get(key);
    if (id !== undefined) importKeys.upsert({ key, kind: deletionKinds[table], id, created_at: now });
  }
}
