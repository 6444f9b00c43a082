import { dataOf, type KeptClient } from "../../index.ts";
import { differenceOf, patchThing } from "../changing.ts";
import { keptCommand } from "../command-line.ts";
import { type LastAct, recallAct } from "../last-act.ts";
import { type Completable, fetchThing, nameOfThing } from "../things.ts";

/**
 * Reverses the last act of this command line by ordinary commands. The action log and its undo are only for people, on
 * their account pages.
 */
export const undoCommand = keptCommand({
  name: "undo",
  operands: "",
  summary:
    "reverts the last add, done, edit or snooze of this computer and token, unless the thing has changed since; a deleted thing comes back only on the page Actions",
  options: {},
  async run({ client, memory, url, print }) {
    const page = `${url}/account/actions`;
    const act = await recallAct(memory);
    if (!act)
      throw new Error(`This command line has nothing to undo. Undo other changes on the page ${page}`);
    if (act.act === "deleted")
      throw new Error(`A token cannot bring back what is deleted; undo it yourself on the page ${page}`);
    const { thing, etag } = await fetchThing(client, act.type, act.id);
    if (thing.updated_at !== act.updated_at)
      throw new Error(
        `“${nameOfThing(thing)}” was changed since, so it stays as it is. Undo other changes on the page ${page}`,
      );
    const text = await reverse(client, act, { thing, etag, page });
    await memory.forget("last-act");
    print(text, { undone: act.act, type: act.type, id: act.id });
  },
});

type Target = Readonly<{ thing: Completable; etag: string | null; page: string }>;

/** @returns the sentence of the result */
async function reverse(client: KeptClient, act: LastAct, { thing, etag, page }: Target): Promise<string> {
  const name = `“${nameOfThing(thing)}”`;
  if (act.before) return restore(client, act.before, { thing, etag, page });
  await dataOf<unknown>(opposite(client, act, { "if-match": etag }));
  return act.act === "added"
    ? `Deleted ${name} again. To restore it, open the page ${page}`
    : `${name} is open again.`;
}

/** Sends the earlier values. Read-only ones are ignored, so some may differ still. */
async function restore(
  client: KeptClient,
  before: NonNullable<LastAct["before"]>,
  { thing, etag, page }: Target,
): Promise<string> {
  const restored = await patchThing(client, thing, before, etag);
  const other = Object.keys(differenceOf({ ...restored, ...before }, restored));
  const left = other.filter((name) => name !== "category_id");
  const whole = `“${nameOfThing(restored)}” is as it was before.`;
  return left.length === 0 ? whole : `${whole} These are not: ${left.join(", ")}. See the page ${page}`;
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
