import type { KeptClient } from "../index.ts";
import type { components } from "../schema.ts";
import { type CommandLine, dataOf, sentenceOf } from "./command-line.ts";
import { noteAct } from "./last-act.ts";
import { type Completable, fetchThing, isTodo, lineOf } from "./things.ts";

type Schemas = components["schemas"];

/**
 * `kept add WORDS`: adds a todo or a habit as the service reads the words. Its category and reminder are added with it,
 * or nothing is.
 */
export async function add({ client, memory, print }: CommandLine, words: string): Promise<void> {
  const said = await dataOf(client.GET("/quick-add", { params: { query: { line: words } } }));
  const category = said.category === null ? undefined : await findCategory(client, said.category);
  const operations: Schemas["BatchOperation"][] = [];
  if (said.category !== null && category === undefined)
    operations.push({ method: "POST", path: "/categories", body: { name: said.category } });
  const category_id = said.category === null ? null : (category?.id ?? "$0.id");
  const index = operations.length;
  const type = said.habit ? "habit" : "todo";
  operations.push({ method: "POST", path: `/${type}s`, body: { ...(said.habit ?? said.todo), category_id } });
  if (said.remind_at !== null) {
    const body = { remind_at: said.remind_at };
    operations.push({ method: "PUT", path: `/todos/$${index}.id/reminder`, body });
  }
  const results = await runAll(client, operations);
  const { thing } = await fetchThing(client, type, Number(results[index]?.body?.id));
  await noteAct(memory, thing, { act: "added" });
  print([`Added ${lineOf(thing)}${warningOf(thing)}`, ...otherReadings(said.alternatives)].join("\n"), thing);
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

/** @throws with the reason of the operation that failed; nothing was done then */
async function runAll(
  client: KeptClient,
  operations: Schemas["BatchOperation"][],
): Promise<Schemas["BatchResult"][]> {
  const { results } = await dataOf(client.POST("/batch", { body: { operations, atomic: true } }));
  const failed = results.find(({ status }) => status >= 400 && status !== failedDependency);
  if (failed) throw new Error(sentenceOf(failed.body, failed));
  return results;
}

const failedDependency = 424;

/** The category of a name, regardless of case and accents. */
async function findCategory(client: KeptClient, name: string): Promise<Schemas["Category"] | undefined> {
  for (let page = 1; ; page++) {
    const { data, meta } = await dataOf(client.GET("/categories", { params: { query: { page } } }));
    const found = data.find((category) => bare(category.name) === bare(name));
    if (found || page >= meta.last_page) return found;
  }
}

const bare = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
