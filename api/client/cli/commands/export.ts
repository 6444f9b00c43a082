import { changesSince, dataOf, type KeptClient } from "../../index.ts";
import type { components } from "../../schema.ts";
import { type CommandLine, keptCommand } from "../command-line.ts";

type Schemas = components["schemas"];

const dayMs = 86_400_000;
/** The longest period that one request for days may cover. */
const periodDays = 366;

export const exportCommand = keptCommand({
  name: "export",
  operands: "",
  summary:
    "prints everything as lines of JSON, whose `kind` is `category`, `habit`, `completion`, `amount` or `todo`",
  options: {},
  run: printEverything,
});

async function printEverything({ client }: CommandLine): Promise<void> {
  // A thing that changes meanwhile comes again; the newer state replaces the older one.
  const things = new Map<string, Schemas["Change"]>();
  for await (const { data } of changesSince(client))
    for (const change of data) things.set(`${change.type} ${change.id}`, change);
  const { today } = await dataOf(client.GET("/me"));
  for (const { type, resource } of things.values()) {
    if (resource === null) continue;
    printLine({ kind: type, ...resource });
    if (!("completions_count" in resource)) continue;
    for await (const completion of completionsOf(client, resource, today))
      printLine({ kind: "completion", habit_id: resource.id, ...completion });
    for await (const amount of amountsOf(client, resource, today))
      printLine({ kind: "amount", habit_id: resource.id, ...amount });
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
  for (const query of yearsBefore(today)) {
    if (missing <= 0) return;
    const params = { path: { habit_id: id }, query };
    const { data } = await dataOf(client.GET("/habits/{habit_id}/completions", { params }));
    yield* data;
    missing -= data.length;
  }
}

/** All amounts of a habit that counts them, newest first. Those of an import can be older than the habit. */
async function* amountsOf(
  client: KeptClient,
  { id, target, recent_amounts, created_at }: Schemas["Habit"],
  today: string,
): AsyncGenerator<Schemas["HabitAmount"]> {
  if (target === null && recent_amounts.length === 0) return;
  for (const query of yearsBefore(today)) {
    const params = { path: { habit_id: id }, query };
    const { data } = await dataOf(client.GET("/habits/{habit_id}/amounts", { params }));
    yield* data;
    if (data.length === 0 && query.to < created_at) return;
  }
}

function* yearsBefore(today: string): Generator<Readonly<{ from: string; to: string }>> {
  for (let to = Date.parse(today); to > 0; to -= periodDays * dayMs)
    yield { from: dateOf(to - (periodDays - 1) * dayMs), to: dateOf(to) };
}

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
