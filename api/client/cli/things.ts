import { dataOf, everyItem, type KeptClient } from "../index.ts";
import type { components } from "../schema.ts";

type Schemas = components["schemas"];

export type Completable = Schemas["Todo"] | Schemas["Habit"];
export type CompletableType = "todo" | "habit";

/**
 * A thing with its entity tag.
 * @throws when it does not exist or is deleted
 */
export async function fetchThing(
  client: KeptClient,
  type: CompletableType,
  id: number,
): Promise<Readonly<{ thing: Completable; etag: string | null }>> {
  const call =
    type === "todo"
      ? client.GET("/todos/{todo_id}", { params: { path: { todo_id: id } } })
      : client.GET("/habits/{habit_id}", { params: { path: { habit_id: id } } });
  const [thing, { response }] = await Promise.all([dataOf<Completable>(call), call]);
  return { thing, etag: response.headers.get("etag") };
}

/** All todos, also completed ones, and habits with these words. */
export async function* thingsWith(client: KeptClient, q: string): AsyncGenerator<Completable> {
  yield* everyItem((page) => client.GET("/todos", { params: { query: { q, status: "all", page } } }));
  yield* everyItem((page) => client.GET("/habits", { params: { query: { q, page } } }));
}

/** @throws unless the number or the words match exactly one thing */
export async function findThing(client: KeptClient, what: string): Promise<Completable> {
  const [, letter, digits] = /^([th])(\d+)$/.exec(what) ?? [];
  if (digits !== undefined)
    return (await fetchThing(client, letter === "t" ? "todo" : "habit", Number(digits))).thing;
  const params = { query: { q: what } };
  const todos = await dataOf(client.GET("/todos", { params }));
  const habits = await dataOf(client.GET("/habits", { params }));
  const found = [...todos.data, ...habits.data];
  const exact = found.filter((thing) => nameOfThing(thing).toLowerCase() === what.toLowerCase());
  const [thing, ...others] = exact.length > 0 ? exact : found;
  if (thing === undefined) throw new Error(`No habit and no pending todo has “${what}” in it.`);
  if (others.length === 0) return thing;
  const names = [thing, ...others].map((one) => `${numberOf(typeOf(one), one.id)} “${nameOfThing(one)}”`);
  throw new Error(`Which one? Say its number: ${names.join(", ")}.`);
}

/** The service checks names and values. */
export type EditedFields = Schemas["UpdateHabitRequest"] & Schemas["UpdateTodoRequest"];

/** The tag makes the service refuse if somebody changed the thing meanwhile. */
export function patchThing(
  client: KeptClient,
  thing: Completable,
  body: EditedFields,
  etag: string | null,
): Promise<Completable> {
  const headers = { "if-match": etag };
  if (!isTodo(thing)) {
    const params = { path: { habit_id: thing.id } };
    return dataOf(client.PATCH("/habits/{habit_id}", { headers, params, body }));
  }
  const params = { path: { todo_id: thing.id } };
  return dataOf(client.PATCH("/todos/{todo_id}", { headers, params, body }));
}

/** The values of a thing that another state of it does not have, apart from those that every change sets. */
export function differenceOf(thing: Completable, other: Completable): EditedFields {
  const others: Readonly<Record<string, unknown>> = { ...other };
  const entries = Object.entries(thing).filter(
    ([name, value]) => !setByEveryChange.includes(name) && !isSame(value, others[name]),
  );
  const fields = Object.fromEntries(entries);
  return "category" in fields ? { ...fields, category_id: thing.category?.id ?? null } : fields;
}

const setByEveryChange = ["updated_at", "written_by"];
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The tag makes the service refuse if the thing is no longer as it was shown. */
export function removeThing(
  client: KeptClient,
  type: CompletableType,
  id: number,
  etag: string | null,
): Promise<unknown> {
  const headers = { "if-match": etag };
  const call =
    type === "todo"
      ? client.DELETE("/todos/{todo_id}", { headers, params: { path: { todo_id: id } } })
      : client.DELETE("/habits/{habit_id}", { headers, params: { path: { habit_id: id } } });
  return dataOf<unknown>(call);
}

/** The category of a name, regardless of case and accents. */
export async function findCategory(client: KeptClient, name: string) {
  const categories = everyItem((page) => client.GET("/categories", { params: { query: { page } } }));
  for await (const category of categories) if (bare(category.name) === bare(name)) return category;
  return undefined;
}

const bare = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** @throws when no category has this name */
export async function categoryIdOf(client: KeptClient, name: string): Promise<number> {
  const found = await findCategory(client, name);
  if (!found) throw new Error(`There is no category “${name}”.`);
  return found.id;
}

type Thing = Completable | Schemas["Category"];

export const isTodo = (thing: Thing): thing is Schemas["Todo"] => "title" in thing;
const isHabit = (thing: Thing): thing is Schemas["Habit"] => "streak_count" in thing;
export const typeOf = (thing: Completable): CompletableType => (isTodo(thing) ? "todo" : "habit");
export const nameOfThing = (thing: Completable): string => (isTodo(thing) ? thing.title : thing.name);

/** The name on the command line, t7 or h3, because todos and habits are numbered apart. */
export const numberOf = (type: Schemas["Change"]["type"], id: number): string => `${type.charAt(0)}${id}`;

/** One line: completed or not, number, name and further facts; of a category, number and name. */
export function lineOf(thing: Thing): string {
  if (!isTodo(thing) && !isHabit(thing)) return `${numberOf("category", thing.id)} #${thing.name}`;
  const isDone = isTodo(thing) ? thing.is_completed : thing.is_completed_today;
  const facts = isTodo(thing) ? factsOfTodo(thing) : factsOfHabit(thing);
  const lead = `[${isDone ? "x" : " "}] ${numberOf(typeOf(thing), thing.id).padEnd(4)} ${nameOfThing(thing)}`;
  return facts.length > 0 ? `${lead}  (${facts.join(", ")})` : lead;
}

function factsOfTodo({ due_date, due_time, is_overdue, ...others }: Schemas["Todo"]): string[] {
  const { reminder, recurrence, category } = others;
  return [
    ...(due_date ? [`due ${due_date}${due_time ? ` ${due_time}` : ""}`] : []),
    ...(is_overdue ? ["overdue"] : []),
    ...(reminder?.status === "scheduled" ? [`reminder ${reminder.local_time.slice(0, 16)}`] : []),
    ...(recurrence ? [recurrence] : []),
    ...(category ? [`#${category.name}`] : []),
  ];
}

function factsOfHabit({ type, streak_count, category }: Schemas["Habit"]): string[] {
  return [
    ...(type === "bad" ? ["to avoid"] : []),
    `streak ${streak_count}`,
    ...(category ? [`#${category.name}`] : []),
  ];
}
