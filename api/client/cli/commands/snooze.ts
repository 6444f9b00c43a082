import { dataOf, type KeptClient } from "../../index.ts";
import { changeThing, type EditedFields } from "../changing.ts";
import { keptCommand } from "../command-line.ts";
import { findThing } from "../finding.ts";
import { isTodo } from "../things.ts";

export const snoozeCommand = keptCommand({
  name: "snooze",
  operands: "WHAT WHEN",
  summary:
    "puts a todo off with its reminder: kept snooze t7 next friday at 9 (WHAT of many words needs quotes)",
  options: {},
  async run(commandLine, [what = "", ...when]) {
    const found = await findThing(commandLine.client, what);
    if (!isTodo(found)) throw new Error(`“${found.name}” is a habit, and only todos are put off.`);
    await changeThing(commandLine, found, await readTime(commandLine.client, when.join(" ")));
  },
});

/** A title that no words of time contain, so that any word left over shows. */
const title = "Snooze";

/** The day, and the time of day if one is said, as the service reads the words. */
async function readTime(client: KeptClient, words: string): Promise<EditedFields> {
  const query = { line: `${title} ${words}` };
  const { todo } = await dataOf(client.GET("/quick-add", { params: { query } }));
  if (todo?.title !== title || todo.due_date === null || todo.recurrence !== null)
    throw new Error(`“${words}” is no day; say for example tomorrow, friday at 9 or 2026-12-01.`);
  return { due_date: todo.due_date, ...(todo.due_time !== null && { due_time: todo.due_time }) };
}
