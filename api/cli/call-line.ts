import { styleText } from "node:util";
import type { Static } from "typebox";
import type { LoggedAction } from "../../shared/contracts/action.ts";
import { readStored } from "../../shared/domain/cut-arguments.ts";
import { localTime } from "../../shared/domain/day.ts";
import { printable } from "../../shared/domain/printable.ts";

type LoggedCall = Static<typeof LoggedAction>;

const maxArgumentsLength = 160;

/** A call on one line: its time in the user's zone, client and token, tool, outcome, arguments and duration. */
export function callLine(call: LoggedCall, timeZone: string): string {
  const { outcome, replayed, calls } = call;
  const time = localTime(Date.parse(call.called_at), timeZone).replace("T", " ");
  const caller = `${call.client_name ?? "token"} ${call.token_id.slice(0, 8)}`;
  const what = `${printable(caller).padEnd(20)} ${printable(call.tool).padEnd(17)}`;
  const ending = `${outcome}${replayed ? " (repeat)" : ""}${calls > 1 ? ` (${calls} calls)` : ""}`;
  const colouredEnding = styleText(outcome === "ok" ? "green" : "red", ending);
  const duration = styleText("dim", `${Math.round(call.duration_ms)} ms`);
  return `${styleText("dim", time)}  ${what} ${colouredEnding}  ${printable(argumentsOf(call))}  ${duration}`;
}

function argumentsOf(call: LoggedCall): string {
  const { args, cut } = readStored(call.arguments);
  const text = cut ? JSON.stringify(args) : call.arguments;
  const shown = text.length > maxArgumentsLength ? `${text.slice(0, maxArgumentsLength)}…` : text;
  return cut ? `${shown} (shortened: ${cut.bytes} bytes were sent)` : shown;
}
