import { setTimeout as pause } from "node:timers/promises";
import { changesSince, dataOf, type KeptClient, KeptError } from "../../index.ts";
import type { components } from "../../schema.ts";
import { type CommandLine, keptCommand } from "../command-line.ts";
import { type LastAct, recallAct } from "../memory.ts";
import {
  type Completable,
  differenceOf,
  fetchThing,
  lineOf,
  nameOfThing,
  numberOf,
  patchThing,
  removeThing,
} from "../things.ts";

type Schemas = components["schemas"];

/**
 * Reverses the last act of this command line by ordinary commands. The action log and its undo are only for people, on
 * their account pages.
 */
export const undoCommand = keptCommand({
  name: "undo",
  operands: "",
  summary:
    "reverts the last add, done, edit or snooze of this computer and token, unless the thing has changed since; a deleted thing comes back only on the page Activity",
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
  if (act.act === "added") {
    await removeThing(client, act.type, act.id, etag);
    return `Deleted ${name} again. To restore it, open the page ${page}`;
  }
  await reopen(client, act, { "if-match": etag });
  return `${name} is open again.`;
}

/** The tag makes the service refuse if somebody changes the thing at the same moment. */
function reopen(
  client: KeptClient,
  { type, id, date }: LastAct,
  headers: { "if-match": string | null },
): Promise<Completable> {
  const [path, query] = [{ habit_id: id }, date === undefined ? {} : { date }];
  if (type === "habit")
    return dataOf(client.DELETE("/habits/{habit_id}/complete", { headers, params: { path, query } }));
  const [params, body] = [{ path: { todo_id: id } }, { is_completed: false }];
  return dataOf(client.POST("/todos/{todo_id}/toggle", { headers, params, body }));
}

/** Sends the earlier values. Read-only ones are ignored, so some may differ still. */
async function restore(
  client: KeptClient,
  before: NonNullable<LastAct["before"]>,
  { thing, etag, page }: Target,
): Promise<string> {
  const restored = await patchThing(client, thing, before, etag);
  const other = Object.keys(differenceOf(Object.assign({}, restored, before), restored));
  const left = other.filter((name) => name !== "category_id");
  const whole = `“${nameOfThing(restored)}” is as it was before.`;
  return left.length === 0 ? whole : `${whole} These are not: ${left.join(", ")}. See the page ${page}`;
}

type Change = Schemas["Change"];

/** Polling takes a third of the 60 requests a minute that a token usually has. */
const followMs = 3_000;
/** The number of changes shown at the first run. */
const newest = 20;

export const logCommand = keptCommand({
  name: "log",
  operands: "",
  summary: "lists changes by anybody since the last kept log, at first the newest 20",
  options: { follow: { type: "boolean", summary: "waits for more" } },
  run: (commandLine, _, { follow }) => printChanges(commandLine, follow === true),
});

async function printChanges(commandLine: CommandLine, follow: boolean): Promise<void> {
  const { memory, print } = commandLine;
  const printed = new Map<string, string>();
  let cursor = await memory.recall("cursor");
  do {
    const { changes, next } = await readSince(commandLine, cursor);
    for (const change of cursor === undefined ? changes.slice(-newest) : changes) {
      // Recent changes come again with the next answer.
      const [key, state] = [numberOf(change.type, change.id), JSON.stringify(change)];
      if (printed.get(key) !== state) print(lineOfChange(change), change);
      printed.set(key, state);
    }
    cursor = next;
    if (follow) await pause(followMs);
  } while (follow);
}

/** Changes, oldest first; the cursor after them is stored for the next run. */
async function readSince({ client, memory }: CommandLine, cursor: string | undefined) {
  const changes: Change[] = [];
  let next = cursor;
  try {
    for await (const { data, next_cursor } of changesSince(client, cursor)) {
      changes.push(...data);
      next = next_cursor;
    }
  } catch (error) {
    // An unknown cursor would be refused next time as well, so it is dropped.
    if (isRefusedCursor(error)) await memory.forget("cursor");
    throw error;
  }
  if (next !== undefined) await memory.note("cursor", next);
  return { changes: changes.toSorted(byTime), next };
}

const isRefusedCursor = (error: unknown): boolean => error instanceof KeptError && error.status === 422;

function byTime(one: Change, other: Change): number {
  const [first, second] = [timeOf(one), timeOf(other)];
  return Number(first > second) - Number(first < second);
}

/** Deleted things have no time, so they come last. */
const timeOf = ({ resource }: Change): string => resource?.updated_at ?? "~";

function lineOfChange(change: Change): string {
  const { type, id, resource } = change;
  if (resource === null) return `${" ".repeat(19)}  deleted  ${type} ${numberOf(type, id)}`;
  const time = new Date(resource.updated_at).toLocaleString("sv-SE");
  const kind = resource.created_at === resource.updated_at ? "new" : "changed";
  return `${time}  ${kind.padEnd(7)}  ${lineOf(resource)}`;
}

const dayMs = 86_400_000;
/** The longest period that one request for days may cover. */
const periodDays = 366;

export const exportCommand = keptCommand({
  name: "export",
  operands: "",
  summary:
    "prints everything as lines of JSON, whose `kind` is `category`, `habit`, `completion`, `amount` or `todo`",
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
