import { setTimeout as pause } from "node:timers/promises";
import type { components } from "../schema.ts";
import { changesSince } from "./changes.ts";
import type { CommandLine } from "./command-line.ts";
import { lineOf, numberOf } from "./things.ts";

type Change = components["schemas"]["Change"];

/** A third of the 60 requests a minute that a token usually has. */
const followMs = 3_000;
/** How much of the past is told when there is no last time. */
const newest = 20;

/** `kept log`: what was changed since the last time, by whomever; --follow goes on with what is changed from now on. */
export async function printChanges(commandLine: CommandLine, follow: boolean): Promise<void> {
  const { memory, print } = commandLine;
  const told = new Map<string, string>();
  let cursor = await memory.recall("cursor");
  do {
    const { changes, next } = await readSince(commandLine, cursor);
    for (const change of cursor === undefined ? changes.slice(-newest) : changes) {
      // What was committed a moment ago comes again with the next answer.
      const [key, state] = [numberOf(change.type, change.id), JSON.stringify(change)];
      if (told.get(key) !== state) print(lineOfChange(change), change);
      told.set(key, state);
    }
    cursor = next;
    if (follow) await pause(followMs);
  } while (follow);
}

/** Changes, oldest first, and the cursor after them, which is noted for the next time. */
async function readSince({ client, memory }: CommandLine, cursor: string | undefined) {
  const changes: Change[] = [];
  let next = cursor;
  try {
    for await (const { data, next_cursor } of changesSince(client, cursor)) {
      changes.push(...data);
      next = next_cursor;
    }
  } catch (error) {
    // A cursor that the service does not know any more would be refused the next time as well.
    if (isRefusedCursor(error)) await memory.forget("cursor");
    throw error;
  }
  if (next !== undefined) await memory.note("cursor", next);
  return { changes: changes.toSorted(byTime), next };
}

const isRefusedCursor = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Response && error.cause.status === 422;

function byTime(one: Change, other: Change): number {
  const [first, second] = [timeOf(one), timeOf(other)];
  return Number(first > second) - Number(first < second);
}

/** What is deleted has no time any more, and comes last. */
const timeOf = ({ resource }: Change): string => resource?.updated_at ?? "~";

function lineOfChange(change: Change): string {
  const { type, id, resource } = change;
  if (resource === null) return `${" ".repeat(19)}  deleted  ${type} ${numberOf(type, id)}`;
  const time = new Date(resource.updated_at).toLocaleString("sv-SE");
  const kind = resource.created_at === resource.updated_at ? "new" : "changed";
  const state = "color" in resource ? `${numberOf(type, id)} #${resource.name}` : lineOf(resource);
  return `${time}  ${kind.padEnd(7)}  ${state}`;
}
