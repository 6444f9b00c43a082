import {
  createGroup,
  dataOf,
  type EarlierId,
  type Group,
  type Handle,
  type KeptClient,
} from "../../index.ts";
import type { components } from "../../schema.ts";
import { findCategory } from "../categories.ts";
import { keptCommand } from "../command-line.ts";
import { noteAct } from "../last-act.ts";
import { type Completable, fetchThing, isTodo, lineOf } from "../things.ts";

type Schemas = components["schemas"];

/** The category and the reminder are added with the thing, or nothing is. */
export const addCommand = keptCommand({
  name: "add",
  operands: "WORDS",
  summary: "makes a todo or a habit, read as on the pages, with its category and reminder; all or nothing",
  options: {},
  async run({ client, memory, print }, words) {
    const said = await dataOf(client.GET("/quick-add", { params: { query: { line: words.join(" ") } } }));
    const group = createGroup(client);
    const category_id = await categoryFor(client, group, said.category);
    const added = addThing(group, said, category_id);
    if (said.remind_at !== null) {
      const [path, body] = [{ todo_id: added.id }, { remind_at: said.remind_at }];
      group.add("PUT", "/todos/{todo_id}/reminder", { path, body });
    }
    const { id } = (await group.run()).of(added);
    const { thing } = await fetchThing(client, said.habit ? "habit" : "todo", id);
    await noteAct(memory, thing, { act: "added" });
    print(
      [`Added ${lineOf(thing)}${warningOf(thing)}`, ...otherReadings(said.alternatives)].join("\n"),
      thing,
    );
  },
});

/** The id of the category with this name, which is made if there is none. */
async function categoryFor(
  client: KeptClient,
  group: Group,
  name: string | null,
): Promise<number | EarlierId | null> {
  if (name === null) return null;
  const found = await findCategory(client, name);
  return found?.id ?? group.add("POST", "/categories", { body: { name } }).id;
}

function addThing(
  group: Group,
  { habit, todo }: Schemas["QuickAdd"],
  category_id: number | EarlierId | null,
): Handle<Completable> {
  if (habit) return group.add("POST", "/habits", { body: { ...habit, category_id } });
  if (todo) return group.add("POST", "/todos", { body: { ...todo, category_id } });
  throw new Error("These words are neither a todo nor a habit.");
}

/** A reminder that reaches nobody does not help, so the command warns. */
function warningOf(thing: Completable): string {
  const page = isTodo(thing) ? thing.reminder?.choose_channel_at : null;
  return page ? `\nThe reminder reaches nobody until you choose where reminders go: ${page}` : "";
}

/** A line for each other meaning of the words. */
const otherReadings = (alternatives: readonly { label: string }[]): readonly string[] =>
  alternatives.length === 0
    ? []
    : [`It may also mean: ${alternatives.map(({ label }) => label).join("; ")}. kept undo takes it back.`];
