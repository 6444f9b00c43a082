import { createHash } from "node:crypto";
import { fieldsOf } from "../../../shared/domain/action/image-fields.ts";
import { kindOfTable, ownerOf, type RowChange } from "../../../shared/domain/action/images.ts";
import type { OwnTables } from "../handler.ts";

/** The effects of a request by which the rules of its token judge it. */
export type Effects = Readonly<{
  /** Changed things: made, changed or deleted ones. */
  things: number;
  deletions: number;
  /** The categories of changed things, before and after; null for things without one. */
  categories: ReadonlySet<number | null>;
}>;

/** A recurring todo and its successor count as one thing. */
export function effectsIn(all: readonly RowChange[], loaded: Pick<OwnTables, "habits" | "todos">): Effects {
  const successors = new Set(all.flatMap(successorIn));
  const changes = all.filter(({ table, key }) => !(table === "todos" && successors.has(key[0] ?? "")));
  const isDeletion = ({ table, after }: RowChange) => kindOfTable(table) !== undefined && !after;
  return {
    things: new Set(changes.map(({ table, key }) => `${ownerOf(table)}/${key[0]}`)).size,
    deletions: changes.filter(isDeletion).length,
    categories: new Set(all.flatMap((change) => categoriesOf(change, loaded))),
  };
}

type Columns = Readonly<{ category_id?: number | null; next_todo_id?: number | null }>;

/** The successor that a completion made, or that a reopening removed. */
function successorIn({ before, after }: RowChange): string[] {
  if (!before || !after) return [];
  const ids = [(before as Columns).next_todo_id, (after as Columns).next_todo_id];
  return ids.flatMap((id) => (id == null ? [] : [String(id)]));
}

/** A reminder or completion has the category of its thing, whose own row tells it if it is gone. */
function categoriesOf(
  { table, key, before, after }: RowChange,
  loaded: Pick<OwnTables, "habits" | "todos">,
): (number | null)[] {
  if (table === "categories") return [Number(key[0])];
  const isThing = kindOfTable(table) !== undefined;
  const things = ownerOf(table) === "habit" ? loaded.habits : loaded.todos;
  const rows = isThing ? [before, after] : [things.get(Number(key[0]))];
  return rows.flatMap((row) => (row ? [(row as Columns).category_id ?? null] : []));
}

/** Columns that change when a reminder rings: nobody did that. */
const rung = ["status", "updated_at", "delivery_id", "rings_at", "rang_on"];

/** @returns a hash of the rows that a request changes, as they were before */
export function restsOn(changes: readonly RowChange[]): string {
  const rows = changes.flatMap(({ table, key, before }) => {
    if (!before) return [];
    const fields = fieldsOf(table, before);
    for (const name of rung) delete fields[name];
    return [`${table}/${key.join("/")} ${inOrder(fields)}`];
  });
  return createHash("sha256").update(rows.toSorted().join("\n")).digest("base64url");
}

/** PostgreSQL stores the names in JSON in an order of its own. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
