import { setTimeout as pause } from "node:timers/promises";
import { changesSince, KeptError } from "../../index.ts";
import type { components } from "../../schema.ts";
import { type CommandLine, keptCommand } from "../command-line.ts";
import { lineOf, numberOf } from "../things.ts";

type Change = components["schemas"]["Change"];

/** Polling takes a third of the 60 requests a minute that a token usually has. */
const followMs = 3_000;
/** The number of changes shown at the first run. */
const newest = 20;

export const logCommand = keptCommand({
  name: "log",
  operands: "",
  summary: "lists changes by anybody since the last kept log, at first the newest 20",
  options: { follow: { type: "boolean", summary: "waits for more" } },
  run: (commandLine, _, { follow = false }) => printChanges(commandLine, follow),
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
