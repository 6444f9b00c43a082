import { contracts } from "../../../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import type { Tool } from "../../../../../shared/contracts/kernel/tool.ts";
import type { Sentence } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { ThingNames } from "../../../../queries/action/names.ts";
import { sayCommand } from "./call-words.ts";
import { type Deed, deedsOf, summaryOf } from "./change-words.ts";
import type { Telling } from "./field-words.ts";
import { sayImport } from "./import-words.ts";
import { argumentsOfRow, type LoggedRow } from "./logged-row.ts";
import { sayRead } from "./resource-reads.ts";
import type { Word } from "./words.ts";

/** An action as one sentence, and where it did several things, as one of each. */
type ToldAction = Readonly<{ words: readonly Word[]; deeds: readonly Deed[] }>;

/**
 * What an action did, or was refused to do, as a sentence about the user's own things. Whatever the tool, its
 * arguments and what is stored are, callers' words appear in it only between quotation marks.
 */
export function describeAction(row: LoggedRow, telling: Telling): ToldAction {
  try {
    if (row.outcome === "rate_limited") return saying(sayRefusals(row.calls));
    const names = namesThen(row, telling.names);
    if (row.tool === "import.apply" && row.outcome === "ok") return saying(...sayImport(row));
    const deeds = changesToTell(row, { ...telling, names });
    if (deeds.length > 0) {
      const words = [...summaryOf(deeds), ...othersSent(row, deeds.length), ...cutIn(row)];
      return { words, deeds: deeds.length > 1 ? deeds : [] };
    }
    return saying(...sayCall(row, names));
  } catch {
    // One row that nobody thought of must not take the page with it.
    return saying("Made a call that cannot be described");
  }
}

const saying = (...words: readonly Word[]): ToldAction => ({ words, deeds: [] });

/** Calls over the rate limit share a row, which knows only the first of them. */
const sayRefusals = (calls: number): string =>
  `${calls} ${calls === 1 ? "call" : "calls"} refused: over the limit`;

function changesToTell({ before, after, tool }: LoggedRow, telling: Telling): readonly Deed[] {
  if (before === null && after === null) return [];
  const images = { before: readImages(before).images, after: readImages(after).images };
  return deedsOf({ images, isUndo: tool === "action.undo" }, telling);
}

const cutIn = ({ before, after }: LoggedRow): readonly Word[] =>
  readImages(before).cut || readImages(after).cut ? [" (shortened)"] : [];

/** A call of several todos does what it can, and changes nothing of those that are as they were to be. */
function othersSent(row: LoggedRow, done: number): readonly Word[] {
  const { todos, todo_ids = todos } = argumentsOfRow(row);
  return Array.isArray(todo_ids) && todo_ids.length > done ? [`, of ${todo_ids.length} that were named`] : [];
}

function sayCall(row: LoggedRow, names: ThingNames): readonly Word[] {
  const { tool, outcome } = row;
  const args = argumentsOfRow(row);
  const sentence = sentences.get(tool)?.(args, names) ?? sayCommand(row, args) ?? unknownTool(tool);
  const { done, tried, object } = sentence;
  const verb = outcome === "ok" ? done : `Tried to ${tried}`;
  return [`${verb} `, ...object, sayTrace(row)];
}

/**
 * Why a change of one thing left nothing to tell: all was as it was to be, or the thing was forgotten since, with its
 * name. Rows of earlier releases do not say what they were about.
 */
function sayTrace({ outcome, replayed, resource_kind, resource_name, before, after }: LoggedRow): string {
  const isChange = outcome === "ok" && !replayed && resource_kind !== null;
  if (!isChange || before !== null || after !== null) return "";
  return resource_name === null ? " (forgotten since)" : "; nothing changed";
}

/** The present names, but that of what the action was about is the one that it had then. */
function namesThen({ resource_kind, resource_id, resource_name }: LoggedRow, names: ThingNames): ThingNames {
  if (!resource_kind || resource_id === null || resource_name === null) return names;
  const place = ({ habit: "habits", todo: "todos", category: "categories" } as const)[resource_kind];
  return { ...names, [place]: new Map(names[place]).set(resource_id, resource_name) };
}

/** By tool name. This is a map, because an object would answer to names such as `constructor`, too. */
const sentences: ReadonlyMap<string, Tool["sentence"]> = new Map([
  ...contracts.flatMap(({ mcp }) => (mcp ? [[mcp.name, mcp.sentence] as const] : [])),
  [resourceRead, sayRead],
]);

const unknownTool = (tool: string): Sentence => ({
  done: "Called",
  tried: "call",
  object: ["a tool that Kept does not have, ", { quoted: tool }],
});
