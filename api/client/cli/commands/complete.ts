import { dataOf, type KeptClient } from "../../index.ts";
import { keptCommand } from "../command-line.ts";
import { findThing } from "../finding.ts";
import { noteAct } from "../last-act.ts";
import { type Completable, isTodo, lineOf } from "../things.ts";

export const doneCommand = keptCommand({
  name: "done",
  operands: "WHAT",
  summary: "completes a todo or, for today, a habit",
  options: {},
  async run({ client, memory, print }, words) {
    const found = await findThing(client, words.join(" "));
    if (isTodo(found) && found.is_completed) throw new Error(`“${found.title}” is completed already.`);
    const { thing, date } = isTodo(found)
      ? await completeTodo(client, found.id)
      : await completeHabit(client, found.id);
    await noteAct(memory, thing, { act: "completed", ...(date && { date }) });
    print(lineOf(thing), thing);
  },
});

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
