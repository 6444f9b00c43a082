import { dataOf, type KeptClient } from "../../index.ts";
import type { CommandLine } from "../command-line.ts";
import { noteAct } from "../last-act.ts";
import { type Completable, fetchThing, isTodo, lineOf, nameOfThing, numberOf, typeOf } from "../things.ts";

/** `kept done WHAT`: completes a todo or, for today, a habit. */
export async function completeThing({ client, memory, print }: CommandLine, what: string): Promise<void> {
  const found = await findThing(client, what);
  if (isTodo(found) && found.is_completed) throw new Error(`“${found.title}” is completed already.`);
  const { thing, date } = isTodo(found)
    ? await completeTodo(client, found.id)
    : await completeHabit(client, found.id);
  await noteAct(memory, thing, { act: "completed", ...(date && { date }) });
  print(lineOf(thing), thing);
}

type Completed = Promise<Readonly<{ thing: Completable; date?: string }>>;

async function completeTodo(client: KeptClient, todo_id: number): Completed {
  const params = { path: { todo_id } };
  const body = { is_completed: true };
  return { thing: await dataOf(client.POST("/todos/{todo_id}/toggle", { params, body })) };
}

/** Names the day, so that an undo after midnight undoes this completion and no other. */
async function completeHabit(client: KeptClient, habit_id: number): Completed {
  const { today: date } = await dataOf(client.GET("/me"));
  const params = { path: { habit_id } };
  const thing = await dataOf(client.POST("/habits/{habit_id}/complete", { params, body: { date } }));
  return { thing, date };
}

/** @throws unless the number or the words match exactly one thing */
async function findThing(client: KeptClient, what: string): Promise<Completable> {
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
