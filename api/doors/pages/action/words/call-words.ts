import { commands } from "../../../../../shared/contracts/catalogue.ts";
import {
  argument,
  type SentArguments,
  type Sentence,
  said,
} from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import type { LoggedRow } from "./logged-row.ts";

/** What a command does, where it did nothing that could be told instead: by the second half of its name. */
const verbs: Readonly<Record<string, readonly [done: string, tried: string]>> = {
  create: ["Created", "create"],
  update: ["Changed", "change"],
  delete: ["Deleted", "delete"],
  complete: ["Completed", "complete"],
  toggle: ["Ticked off or reopened", "tick off or reopen"],
  set: ["Set the reminder of", "set the reminder of"],
  clear: ["Cleared the reminder of", "clear the reminder of"],
  forget: ["Forgot for good", "forget for good"],
  apply: ["Imported", "import"],
};
const undoVerbs = {
  "habit.undo": ["Took back the completion of", "take back the completion of"],
  "action.undo": ["Took back", "take back"],
} as const;

const nouns = new Map([
  ["habit", "the habit"],
  ["todo", "the todo"],
  ["category", "the category"],
  ["reminder", "the todo"],
  ["import", "a file"],
]);

/** The sentence of a command over REST or from a page; undefined where it is the name of none. */
export function sayCommand(row: LoggedRow, args: SentArguments): Sentence | undefined {
  if (!Object.hasOwn(commands, row.tool)) return undefined;
  const [subject = "", action = ""] = row.tool.split(".");
  const [done, tried] = (row.tool === "habit.undo" || row.tool === "action.undo"
    ? undoVerbs[row.tool]
    : verbs[action]) ?? ["Did something with", "do something with"];
  const noun = row.resource_kind ? `the ${row.resource_kind}` : nouns.get(subject);
  return noun ? said(done, tried, `${noun} `, namedIn(row, args)) : said(done, tried, "an action");
}

/** The name that it had then, its number, or the name that was to be given to a new one. */
function namedIn({ resource_name, resource_id }: LoggedRow, args: SentArguments) {
  if (resource_name !== null) return { quoted: resource_name };
  if (resource_id !== null) return String(resource_id);
  return { quoted: argument(args, "title") ?? argument(args, "name") };
}
