import { dataOf, type KeptClient } from "../index.ts";
import type { components } from "../schema.ts";
import type { CommandLine } from "./command-line.ts";
import { noteAct } from "./last-act.ts";
import { type Completable, fetchThing, isTodo, lineOf } from "./things.ts";

type Schemas = components["schemas"];
export type EditedFields = Readonly<Record<string, unknown>>;

/** Changes fields of a thing. Its earlier values are stored for `kept undo`. */
export async function changeThing(
  { client, memory, print }: CommandLine,
  found: Completable,
  fields: EditedFields,
): Promise<void> {
  const { thing: earlier, etag } = await fetchThing(client, isTodo(found) ? "todo" : "habit", found.id);
  const thing = await patchThing(client, earlier, fields, etag);
  await noteAct(memory, thing, { act: "edited", before: differenceOf(earlier, thing) });
  print(lineOf(thing), thing);
}

/** The tag makes the service refuse if somebody changed the thing meanwhile. */
export function patchThing(
  client: KeptClient,
  thing: Completable,
  fields: EditedFields,
  etag: string | null,
): Promise<Completable> {
  const headers = { "if-match": etag };
  // The service checks names and values.
  if (!isTodo(thing)) {
    const [params, body] = [{ path: { habit_id: thing.id } }, fields as Schemas["UpdateHabitRequest"]];
    return dataOf(client.PATCH("/habits/{habit_id}", { headers, params, body }));
  }
  const [params, body] = [{ path: { todo_id: thing.id } }, fields as Schemas["UpdateTodoRequest"]];
  return dataOf(client.PATCH("/todos/{todo_id}", { headers, params, body }));
}

/** The values of a thing that another state of it does not have, apart from those that every change sets. */
export function differenceOf(thing: Completable, other: Completable): EditedFields {
  const others: EditedFields = { ...other };
  const entries = Object.entries(thing).filter(
    ([name, value]) => !setByEveryChange.includes(name) && !isSame(value, others[name]),
  );
  const fields = Object.fromEntries(entries);
  return "category" in fields ? { ...fields, category_id: thing.category?.id ?? null } : fields;
}

const setByEveryChange = ["updated_at", "written_by"];
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
