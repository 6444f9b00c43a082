import { styleText } from "node:util";
import type { Static } from "typebox";
import type { LoggedToolCall } from "../../shared/contracts/tool-call.ts";
import { readStored } from "../../shared/domain/cut-arguments.ts";
import { localTime } from "../../shared/domain/day.ts";
import { printable } from "../../shared/domain/printable.ts";

type Row = Static<typeof LoggedToolCall>;

const maxArguments = 160;

/** One call as one line: when (in the user's zone), which token, what, how it ended, and with which arguments. */
export function actionLine(row: Row, timeZone: string): string {
  const { outcome, replayed, calls } = row;
  const when = localTime(Date.parse(row.called_at), timeZone).replace("T", " ");
  const who = `${row.client_name ?? "token"} ${row.token_id.slice(0, 8)}`;
  const ended = `${outcome}${replayed ? " (repeat)" : ""}${calls > 1 ? ` (${calls} calls)` : ""}`;
  const end = styleText(outcome === "ok" ? "green" : "red", ended);
  const duration = styleText("dim", `${Math.round(row.duration_ms)} ms`);
  const call = `${printable(who).padEnd(20)} ${printable(row.tool).padEnd(17)}`;
  return `${styleText("dim", when)}  ${call} ${end}  ${printable(argumentsOf(row))}  ${duration}`;
}

function argumentsOf(row: Row): string {
  const { args, cut } = readStored(row.arguments);
  const text = cut ? JSON.stringify(args) : row.arguments;
  const shortened = text.length > maxArguments ? `${text.slice(0, maxArguments)}…` : text;
  return cut ? `${shortened} (shortened: ${cut.bytes} bytes were sent)` : shortened;
}
