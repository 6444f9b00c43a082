import type { RowChange } from "../../../shared/domain/action/images.ts";
import { kindOfTable } from "../../../shared/domain/action/images.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import type { HandlerContext } from "../handler.ts";

/** The resource of an action, with its name at that moment. */
export type NamedResource = Readonly<{ kind: ResourceKind; id: number; name: string | null }>;

/** The resource that the input names, else the one that was made; undefined where there are none or several. */
export function resourceOf(
  { categories, habits, todos }: Pick<HandlerContext, "categories" | "habits" | "todos">,
  input: unknown,
  changes: readonly RowChange[],
): NamedResource | undefined {
  const { todo_id, habit_id, category_id } = idsIn(input);
  const named = (kind: ResourceKind, id: number, row: object | undefined): NamedResource => {
    const name = nameOf(row ?? removedRow(changes, kind, id));
    return { kind, id, name };
  };
  if (todo_id !== undefined) return named("todo", todo_id, todos.get(todo_id));
  if (habit_id !== undefined) return named("habit", habit_id, habits.get(habit_id));
  const made = changes.filter(({ table, before }) => kindOfTable(table) && !before);
  const [one] = made;
  const kind = one && kindOfTable(one.table);
  if (made.length === 1 && kind) return named(kind, Number(one.key[0]), one.after);
  if (category_id != null && made.length === 0)
    return named("category", category_id, categories.get(category_id));
  return undefined;
}

/** The kind tells it from its reminder or completions, whose rows have the same id. */
const removedRow = (changes: readonly RowChange[], kind: ResourceKind, id: number): object | undefined =>
  changes.find(({ table, key }) => kindOfTable(table) === kind && key[0] === String(id))?.before;

type NamedIds = Readonly<Partial<Record<"todo_id" | "habit_id", number> & { category_id: number | null }>>;

function idsIn(input: unknown): NamedIds {
  return typeof input === "object" && input !== null ? input : {};
}

function nameOf(row: object | undefined): string | null {
  const { title, name = title }: { title?: unknown; name?: unknown } = row ?? {};
  return typeof name === "string" ? name : null;
}
