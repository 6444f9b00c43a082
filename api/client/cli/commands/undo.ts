import { dataOf, type KeptClient } from "../../index.ts";
import type { CommandLine } from "../command-line.ts";
import { type LastAct, recallAct } from "../last-act.ts";
import { fetchThing, nameOfThing } from "../things.ts";

/**
 * `kept undo`: reverses the last act of this command line by ordinary commands. The action log and its undo are only
 * for people, on their account pages.
 */
export async function undoLastAct({ client, memory, url, print }: CommandLine): Promise<void> {
  const elsewhere = `Undo other changes on the page ${url}/account/actions`;
  const act = await recallAct(memory);
  if (!act) throw new Error(`This command line has nothing to undo. ${elsewhere}`);
  const { thing, etag } = await fetchThing(client, act.type, act.id);
  const name = `“${nameOfThing(thing)}”`;
  if (thing.updated_at !== act.updated_at)
    throw new Error(`${name} was changed since, so it stays as it is. ${elsewhere}`);
  await dataOf<unknown>(opposite(client, act, { "if-match": etag }));
  await memory.forget("last-act");
  const { act: undone, type, id } = act;
  const deleted = `Deleted ${name} again. To restore it, open the page ${url}/account/actions`;
  print(undone === "added" ? deleted : `${name} is open again.`, { undone, type, id });
}

/** The tag makes the service refuse if somebody changes the thing at the same moment. */
function opposite(
  client: KeptClient,
  { act, type, id, date }: LastAct,
  headers: { "if-match": string | null },
) {
  const todo = { headers, params: { path: { todo_id: id } } };
  const habit = { headers, params: { path: { habit_id: id } } };
  if (act === "added" && type === "todo") return client.DELETE("/todos/{todo_id}", todo);
  if (act === "added") return client.DELETE("/habits/{habit_id}", habit);
  if (type === "todo")
    return client.POST("/todos/{todo_id}/toggle", { ...todo, body: { is_completed: false } });
  const params = { path: { habit_id: id }, query: date === undefined ? {} : { date } };
  return client.DELETE("/habits/{habit_id}/complete", { headers, params });
}
