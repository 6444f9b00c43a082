import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { commands, contracts } from "../../../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../../../shared/contracts/kernel/contract.ts";
import { inputOfUri, resourceRead } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import { previewOfTool } from "../../../../../shared/contracts/kernel/preview.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { asksFor } from "../../../../../shared/contracts/kernel/tool.ts";
import {
  argument,
  givenIn,
  idIn,
  type LooksAt,
  type SentArguments,
} from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { type ResourceKind, resourceKinds } from "../../../../../shared/domain/vocabulary.ts";
import { countOf } from "./change-words.ts";
import { rowOf, titleIn } from "./changed-things.ts";
import { factsOfImage } from "./field-words.ts";
import { afterColon, type Known, listed, type Word } from "./words.ts";

const resources = contracts.flatMap((contract) =>
  contract.kind === "query" && contract.mcpResource ? [contract.mcpResource] : [],
);

/** The arguments by their names in tools, with the id of the thing that the log knows. */
export function argumentsOf({ tool, arguments: stored, ...action }: LoggedAction): SentArguments {
  const { args } = readStored(stored);
  if (tool !== resourceRead)
    return action.resource_kind ? { [`${action.resource_kind}_id`]: action.resource_id, ...args } : args;
  const inputs = resources.map((resource) => inputOfUri(resource, argument(args, "uri")));
  return { ...args, ...inputs.find((input) => input !== undefined) };
}

/** A call that changed nothing: a read, a refusal, or a command that found everything so already. */
export function callInWords(action: LoggedAction, known: Known): readonly Word[] {
  const args = argumentsOf(action);
  const { done, tried, object } =
    readInWords(action.tool, args, known) ?? commandInWords(action.tool, args, known);
  const attempt = action.outcome === "waiting" ? "Asked to" : "Tried to";
  return [action.outcome === "ok" ? `${done} ` : `${attempt} ${tried} `, ...object, traceOf(action)];
}

function readInWords(tool: string, args: SentArguments, known: Known): Told | undefined {
  const looksAt = readOf(tool, args);
  if (!looksAt) return undefined;
  const object: readonly Word[] = looksAt(args, known.names);
  const previewed = toolOfPreview.get(tool);
  const change = previewed === undefined ? undefined : commandInWords(previewed, args, known);
  const details = change ? [`: ${change.tried} `, ...change.object] : [];
  return { done: "Looked at", tried: "look at", object: [...object, ...details] };
}

const toolOfPreview: ReadonlyMap<string, string> = new Map(
  contracts.flatMap(({ kind, mcp }) =>
    kind === "command" && mcp ? [[previewOfTool(mcp.name), mcp.name]] : [],
  ),
);

const reads: ReadonlyMap<string, LooksAt> = new Map([
  ...contracts.flatMap((one): [string, LooksAt][] =>
    one.kind === "query" && one.mcp ? [[one.mcp.name, one.mcp.looksAt]] : [],
  ),
  ...toolOfPreview.keys().map((tool): [string, LooksAt] => [tool, () => ["the preview of a change"]]),
]);

/** The words of a tool that only reads; undefined for any other. */
export function readOf(tool: string, args: SentArguments): LooksAt | undefined {
  if (tool !== resourceRead) return reads.get(tool);
  const uri = argument(args, "uri");
  const read = resources.find((resource) => inputOfUri(resource, uri));
  return read?.looksAt ?? (() => ["a resource that Kept does not have, ", { quoted: uri }]);
}

type Told = Readonly<{ done: string; tried: string; object: readonly Word[] }>;

function commandInWords(tool: string, args: SentArguments, known: Known): Told {
  const command = commandOf(tool, args);
  if (command === undefined)
    return { done: "Called", tried: "call", object: ["a tool that Kept does not have, ", { quoted: tool }] };
  const [subject, verb = ""] = command.split(".");
  const completed = argument(args, "completed") ?? argument(args, "is_completed");
  const wanted = verb === "toggle" && typeof completed === "boolean" ? `toggle ${completed}` : verb;
  const [done, tried] = verbs.get(command) ??
    verbs.get(wanted) ?? ["Did something with", "do something with"];
  const object = unnamed[subject ?? ""];
  const kind = resourceKinds.find((one) => one === subject) ?? "todo";
  return { done, tried, object: object ? [object] : objectOf(kind, args, known) };
}

/** Things whose names the log does not keep. */
const unnamed: Readonly<Record<string, string>> = { action: "an action", webhook: "a webhook" };

/** The command behind a tool, or the one that scripts and pages name directly; undefined for other names. */
function commandOf(tool: string, args: SentArguments): string | undefined {
  const own = Object.values<CommandContract>(commands).find(({ mcp }) => mcp?.name === tool);
  if (!own) return Object.hasOwn(commands, tool) ? tool : undefined;
  const form = own.mcp?.forms?.find((one) => asksFor(one, args));
  return form?.command ?? own.name;
}

/** Verbs for calls without images, by the command's name or its second half: what it did, and what it tried. */
const verbs: ReadonlyMap<string, readonly [done: string, tried: string]> = new Map([
  ["create", ["Created", "create"]],
  ["update", ["Changed", "change"]],
  ["delete", ["Deleted", "delete"]],
  ["complete", ["Completed", "complete"]],
  ["toggle", ["Ticked off or reopened", "tick off or reopen"]],
  ["toggle true", ["Ticked off", "tick off"]],
  ["toggle false", ["Reopened", "reopen"]],
  ["set", ["Set the reminder of", "set the reminder of"]],
  ["act", ["Answered the reminder of", "answer the reminder of"]],
  ["clear", ["Cleared the reminder of", "clear the reminder of"]],
  ["habit.undo", ["Took back the completion of", "take back the completion of"]],
  ["habit.skip", ["Skipped", "skip"]],
  ["habit.unskip", ["Took back the skip of", "take back the skip of"]],
  ["category.rename", ["Renamed", "rename"]],
  ["action.undo", ["Took back", "take back"]],
  ["webhook.send-again", ["Sent again a delivery of", "send again a delivery of"]],
]);

function objectOf(kind: ResourceKind, args: SentArguments, known: Known): readonly Word[] {
  const several = argument(args, "todos") ?? argument(args, `${kind}_ids`);
  if (several !== undefined)
    return [...severalThings(kind, several), ...dayIn(args), ...factsOf(kind, args, known)];
  const id = idIn(args, `${kind}_id`);
  const { title, name = title, ...others } = givenIn(args);
  // A tool names a category by its name.
  if (kind === "category" && name === undefined) return ["the category ", { quoted: others.category }];
  if (id === undefined) return [`the ${kind} `, { quoted: name }, ...factsOf(kind, others, known)];
  const thing = rowOf(kind, id);
  const present = known.names.get(thing);
  const object = present === undefined ? String(id) : { name: present, thing };
  return [`the ${kind} `, object, ...dayIn(args), ...factsOf(kind, args, known)];
}

/** The log keeps only the beginning of long arguments, as text. */
function severalThings(kind: ResourceKind, things: unknown): readonly Word[] {
  if (!Array.isArray(things)) return [`several ${kind}s`];
  const titles = things.flatMap((thing): Word[][] =>
    typeof thing === "object" && thing !== null ? [[{ quoted: titleIn(thing) }]] : [],
  );
  const count = `${countOf(things.length, kind)}, as far as possible`;
  return [count, ...(titles.length > 0 ? [": ", ...listed(titles)] : [])];
}

function dayIn(args: SentArguments): readonly Word[] {
  const dates = argument(args, "dates") ?? argument(args, "date");
  if (dates === undefined) return [];
  const days = [dates]
    .flat()
    .map((date): Word[] => [typeof date === "string" && isCalendarDate(date) ? { date } : { quoted: date }]);
  return [" for ", ...listed(days)];
}

/** Arguments have the same words as images. */
function factsOf(kind: ResourceKind, args: SentArguments, known: Known): readonly Word[] {
  const set = argument(args, "set");
  const given = { ...givenIn(args), ...(typeof set === "object" && givenIn({ ...set })) };
  const { clear } = given;
  const cleared = Array.isArray(clear) ? clear.filter((name) => typeof name === "string") : [];
  const sent = { ...given, ...Object.fromEntries(cleared.map((name) => [name, null])) };
  return afterColon(factsOfImage(kind, sent, known), ", ");
}

/**
 * The reason why a change has no images: everything was so already, or the named thing was forgotten since. Rows of
 * earlier releases do not name it.
 */
function traceOf({ outcome, replayed, resource_kind, resource_name, before, after }: LoggedAction): string {
  const isChange = outcome === "ok" && !replayed && resource_kind !== null;
  if (!isChange || before !== null || after !== null) return "";
  return resource_name === null ? " (forgotten since)" : "; nothing changed";
}
