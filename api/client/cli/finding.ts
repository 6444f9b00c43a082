import { dataOf, everyItem, type KeptClient } from "../index.ts";
import { type Completable, fetchThing, nameOfThing, numberOf, typeOf } from "./things.ts";

/** All todos and habits with these words, completed todos only if wanted. */
export async function* thingsWith(
  client: KeptClient,
  q: string,
  status: "incomplete" | "all",
): AsyncGenerator<Completable> {
  yield* everyItem((page) => client.GET("/todos", { params: { query: { q, status, page } } }));
  yield* everyItem((page) => client.GET("/habits", { params: { query: { q, page } } }));
}

/** @throws unless the number or the words match exactly one thing */
export async function findThing(client: KeptClient, what: string): Promise<Completable> {
  const [, letter, digits] = /^([th])(\d+)$/.exec(what) ?? [];
  if (digits !== undefined) {
    const { thing } = await fetchThing(client, letter === "t" ? "todo" : "habit", Number(digits));
    return thing;
  }
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
