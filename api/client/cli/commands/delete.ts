import { createInterface } from "node:readline";
import { dataOf, type KeptClient } from "../../index.ts";
import { keptCommand } from "../command-line.ts";
import { findThing } from "../finding.ts";
import { noteAct } from "../last-act.ts";
import { fetchThing, isTodo, lineOf, nameOfThing, typeOf } from "../things.ts";

export const deleteCommand = keptCommand({
  name: "delete",
  operands: "WHAT",
  summary: "deletes a todo or a habit, after asking",
  options: { yes: { type: "boolean", summary: "does not ask" } },
  async run({ client, memory, url, print }, words, { yes }) {
    const found = await findThing(client, words.join(" "));
    const { thing, etag } = await fetchThing(client, typeOf(found), found.id);
    if (!yes && !(await isAgreed(`${lineOf(thing)}\nDelete it? [y/N] `)))
      throw new Error("Nothing is deleted without a yes; --yes does not ask.");
    await deleteThing(client, thing, { "if-match": etag });
    await noteAct(memory, thing, { act: "deleted" });
    const text = `Deleted “${nameOfThing(thing)}”. To restore it, open the page ${url}/account/actions`;
    print(text, { deleted: typeOf(thing), id: thing.id });
  },
});

/** The tag makes the service refuse if the thing is no longer as it was shown. */
function deleteThing(
  client: KeptClient,
  thing: Parameters<typeof isTodo>[0],
  headers: { "if-match": string | null },
): Promise<unknown> {
  return isTodo(thing)
    ? dataOf<unknown>(client.DELETE("/todos/{todo_id}", { headers, params: { path: { todo_id: thing.id } } }))
    : dataOf<unknown>(
        client.DELETE("/habits/{habit_id}", { headers, params: { path: { habit_id: thing.id } } }),
      );
}

/** Asks on standard error, because standard output is for answers. An end of the input means no. */
async function isAgreed(question: string): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  return false;
}
