import { dataOf, type KeptClient } from "../index.ts";
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
