import type { Evidence, LogRow, Violation } from "../evidence.ts";
import type { Attempt, Operation, ToolRequest } from "../history.ts";

type Group = { calls: Attempt[]; rows: LogRow[] };

/**
 * Every tool call that was answered with a result or a refusal has exactly one row. A call that was answered with 503
 * or not at all may have one. Calls with the same tool and arguments are counted together.
 */
export function checkLog({ history, log }: Evidence): Violation[] {
  const groups = new Map<string, Group>();
  const groupOf = (name: string): Group => {
    const group = groups.get(name) ?? { calls: [], rows: [] };
    groups.set(name, group);
    return group;
  };
  const tools = new Set<string>();
  for (const { call, attempt } of history.operations.flatMap(callsOf)) {
    tools.add(call.tool);
    groupOf(nameOf(call.tool, call.arguments)).calls.push(attempt);
  }
  for (const row of log)
    if (tools.has(row.tool)) groupOf(nameOf(row.tool, JSON.parse(row.arguments))).rows.push(row);
  return [...groups].flatMap(([name, group]) => judge(name, group));
}

const callsOf = ({ attempts }: Operation): { call: ToolRequest; attempt: Attempt }[] =>
  attempts.flatMap((attempt) => (attempt.call ? [{ call: attempt.call, attempt }] : []));

const nameOf = (tool: string, args: object): string =>
  `${tool} ${JSON.stringify(Object.fromEntries(Object.entries(args).sort()))}`;

function judge(name: string, { calls, rows }: Group): Violation[] {
  const told = (verdict: string) => calls.filter(({ answer }) => answer.verdict === verdict).length;
  const [done, refused] = [told("done"), told("refused")];
  const well = rows.filter(({ outcome }) => outcome === "ok").length;
  const wrong: string[] = [];
  if (rows.length > calls.length) wrong.push(`${rows.length} rows for ${calls.length} calls`);
  if (rows.length < done + refused) wrong.push(`${rows.length} rows for ${done + refused} answered calls`);
  else if (well < done) wrong.push(`${well} rows say ok and ${done} calls were acknowledged`);
  else if (rows.length - well < refused)
    wrong.push(`${rows.length - well} rows say no and ${refused} calls were refused`);
  return wrong.map((what) => ({ kind: "log", sentence: `The action log has ${what}: ${name}.` }));
}
