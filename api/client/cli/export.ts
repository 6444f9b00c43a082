import type { KeptClient } from "../index.ts";
import type { components } from "../schema.ts";
import { changesSince } from "./changes.ts";
import { type CommandLine, dataOf } from "./command-line.ts";

type Schemas = components["schemas"];

const dayMs = 86_400_000;
/** The longest period that one request for completions may cover. */
const periodDays = 366;

/** `kept export`: every category, habit, completion and todo, each as JSON on a line of its own. */
export async function exportEverything({ client }: CommandLine): Promise<void> {
  // A thing that changes meanwhile comes again; the newer state replaces the older one.
  const things = new Map<string, Schemas["Change"]>();
  for await (const { data } of changesSince(client, undefined))
    for (const change of data) things.set(`${change.type} ${change.id}`, change);
  const { today } = await dataOf(client.GET("/me"));
  for (const { type, resource } of things.values()) {
    if (resource === null) continue;
    printLine({ kind: type, ...resource });
    if (!("completions_count" in resource)) continue;
    for await (const completion of completionsOf(client, resource, today))
      printLine({ kind: "completion", habit_id: resource.id, ...completion });
  }
}

const printLine = (value: object): void => console.log(JSON.stringify(value));

/** All completions of a habit, newest first, year by year until none is missing. */
async function* completionsOf(
  client: KeptClient,
  { id, completions_count }: Schemas["Habit"],
  today: string,
): AsyncGenerator<Schemas["HabitCompletion"]> {
  let missing = completions_count;
  for (let to = Date.parse(today); missing > 0 && to > 0; to -= periodDays * dayMs) {
    const query = { from: dateOf(to - (periodDays - 1) * dayMs), to: dateOf(to) };
    const params = { path: { habit_id: id }, query };
    const { data } = await dataOf(client.GET("/habits/{habit_id}/completions", { params }));
    yield* data;
    missing -= data.length;
  }
}

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
