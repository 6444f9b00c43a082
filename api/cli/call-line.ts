import { styleText } from "node:util";
import type { LoggedAction } from "../../shared/contracts/action/contracts.ts";
import { readStored } from "../../shared/domain/action/cut-arguments.ts";
import { describeAction, type Known } from "../doors/pages/action/narrator.ts";
import { localTimeOf, wordsInText } from "../doors/pages/action/words.ts";
import { printable } from "../http/printable.ts";

const maxArgumentsLength = 160;
const maxSentenceLength = 300;

/** An action on one line: its time in the user's zone, actor, door, tool, outcome, changes, arguments and duration. */
export function callLine(call: LoggedAction, known: Known): string {
  const { outcome, replayed, calls, door } = call;
  const time = localTimeOf(call, known.timeZone).replace("T", " ");
  const caller = door === "page" ? "user" : `${call.client_name ?? "token"} ${call.token_id.slice(0, 8)}`;
  const what = `${printable(caller).padEnd(20)} ${door.padEnd(4)} ${printable(call.tool).padEnd(17)}`;
  const ending = `${outcome}${replayed ? " (repeat)" : ""}${calls > 1 ? ` (${calls} calls)` : ""}`;
  const colouredEnding = styleText(outcome === "ok" ? "green" : "red", ending);
  const duration = styleText("dim", `${Math.round(call.duration_ms)} ms`);
  const words = [changesOf(call, known), argumentsOf(call)].filter((text) => text !== "").join("  ");
  return `${styleText("dim", time)}  ${what} ${colouredEnding}  ${words}  ${duration}`;
}

/** The changes in words, else only the resource; empty for a read. */
function changesOf(call: LoggedAction, known: Known): string {
  const { before, after, resource_kind, resource_id } = call;
  if (before === null && after === null) return resource_kind ? `${resource_kind} ${resource_id}` : "";
  const sentence = wordsInText(describeAction(call, known).sentence, "");
  return sentence.length > maxSentenceLength ? `${sentence.slice(0, maxSentenceLength)}…` : sentence;
}

/** Commands by REST and from pages have no arguments in the log; the line shows their changes. */
function argumentsOf(call: LoggedAction): string {
  if (call.door !== "mcp" && call.arguments === "{}") return "";
  const { args, cut } = readStored(call.arguments);
  const text = cut ? JSON.stringify(args) : call.arguments;
  const shown = text.length > maxArgumentsLength ? `${text.slice(0, maxArgumentsLength)}…` : text;
  return printable(cut ? `${shown} (shortened: ${cut.bytes} bytes were sent)` : shown);
}
