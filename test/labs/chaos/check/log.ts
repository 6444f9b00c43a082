import type { Evidence, LogRow, Violation } from "../evidence.ts";
import type { Attempt } from "../history.ts";
import { say } from "./answers.ts";

/**
 * Every tool call that was answered with a result or a refusal has exactly one row. A call that was answered with 503
 * or not at all may have one. Calls with the same tool and arguments are counted together.
 */
export function checkLog({ history, log }: Evidence): Violation[] {
  const attempts = history.operations.flatMap((operation) => operation.attempts);
  const calls = Map.groupBy(attempts, ({ call }) => call && nameOf(call.tool, call.arguments));
  const tools = new Set(attempts.map(({ call }) => call?.tool));
  const rows = Map.groupBy(
    log.filter(({ tool }) => tools.has(tool)),
    (row) => nameOf(row.tool, JSON.parse(row.arguments)),
  );
  const names = new Set([...calls.keys(), ...rows.keys()].filter((name) => name !== undefined));
  return [...names].flatMap((name) => judge(name, calls.get(name) ?? [], rows.get(name) ?? []));
}

const nameOf = (tool: string, args: object): string =>
  `${tool} ${JSON.stringify(Object.fromEntries(Object.entries(args).sort()))}`;

function judge(name: string, calls: readonly Attempt[], rows: readonly LogRow[]): Violation[] {
  const told = (verdict: string) => calls.filter(({ answer }) => answer.verdict === verdict).length;
  const [done, refused] = [told("done"), told("refused")];
  const well = rows.filter(({ outcome }) => outcome === "ok").length;
  const isRight =
    rows.length <= calls.length &&
    rows.length >= done + refused &&
    well >= done &&
    rows.length - well >= refused;
  const sentence = `The action log has ${rows.length} rows, of which ${well} say ok, for ${calls.length} calls, of which ${done} were done and ${refused} refused: ${name}.`;
  return say(!isRight, "log", sentence);
}
